/** The endpoints of fine-tuning: jobs of the gateway, and forwarding for those of a provider. */
import {
  type EndpointHandler,
  type EndpointId,
  type EndpointRequest,
  GatewayError,
  isGatewayError,
  type JsonObject,
} from '@gateway/contract'
import { ownerOf, passOn } from '../files/routes.ts'
import { callerOf } from '../shared/caller.ts'
import { type CursorQuery, listByCursor, readCursorQuery } from '../shared/cursor.ts'
import { conflict, notFound } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { createJob, type JobParts } from './create.ts'
import type { JobDocument } from './entities.ts'
import { endEvent } from './job-ends.ts'
import { checkpointsOf, eventsOf, isLive, presentJob, stateOf } from './timeline.ts'

const pages = { most: 100, standard: 20 }
const checkpointPages = { most: 100, standard: 10 }
const maxTries = 50

export function fineTuningHandlers(parts: JobParts): Partial<Record<EndpointId, EndpointHandler>> {
  const { context, files, audit } = parts
  const { documents } = files

  async function find(request: EndpointRequest): Promise<JobDocument> {
    const written = request.params.fine_tuning_job_id ?? ''
    const read = readId('fine_tuning_job', written)
    const found = read === null || read.id === '' ? null : await documents.get('fine_tuning_job', read.id)
    if (found?.workspace_id !== callerOf(request).workspaceId || found.data.owner !== read?.owner)
      throw notFound('fine-tuning job', written, 'path/fine_tuning_job_id')
    return found
  }

  async function cancel(request: EndpointRequest): Promise<JobDocument> {
    for (let tries = 1; ; tries += 1) {
      const { version, ...job } = await find(request)
      const nowMs = context.now()
      const before = { ...job, version }
      if (!isLive(before, nowMs))
        throw conflict(
          `The job is ${stateOf(before, nowMs).status} and can no longer be cancelled.`,
          'path/fine_tuning_job_id',
        )
      const document = { ...job, last_updated_at: nowMs, ...cancelling(job, nowMs) }
      const record = audit.write(request, {
        action: 'cancel',
        type: 'fine_tuning_job',
        id: job.id,
        before: presentJob(before, nowMs),
      })
      try {
        const cancelled = { ...document, version }
        const events = isLive(cancelled, nowMs) ? [] : [endEvent(cancelled, nowMs)]
        await documents.commit([{ op: 'put', document, expected: version }, record, ...events])
        if (job.data.provider != null) parts.nudge()
        return { ...document, version: version + 1 }
      } catch (error) {
        if (tries >= maxTries || !isGatewayError(error) || error.code !== 'precondition_failed') throw error
      }
    }
  }

  return {
    createFinetune: (request) => createJob(parts, request),
    async listFinetunes(request) {
      const owner = await ownerOf(request)
      if (owner === null) return passOn(request)
      const body = await listByCursor({
        documents,
        kind: 'fine_tuning_job',
        workspaceId: callerOf(request).workspaceId,
        attributes: { owner: [owner] },
        query: { ...readCursorQuery(request.query, pages), order: 'desc' },
        present: (job) => presentJob(job, context.now()),
      })
      return { status: 200, body }
    },
    async retrieveFinetune(request) {
      if (isOfProvider(request)) return passOn(request)
      return { status: 200, body: presentJob(await find(request), context.now()) }
    },
    async cancelFinetune(request) {
      if (isOfProvider(request)) return passOn(request)
      return { status: 200, body: presentJob(await cancel(request), context.now()) }
    },
    async listFinetuneEvents(request) {
      if (isOfProvider(request)) return passOn(request)
      const job = await find(request)
      return { status: 200, body: page(eventsOf(job, context.now()), readCursorQuery(request.query, pages)) }
    },
    async listFinetuneCheckpoints(request) {
      if (isOfProvider(request)) return passOn(request)
      const job = await find(request)
      const query = readCursorQuery(request.query, checkpointPages)
      return { status: 200, body: page(checkpointsOf(job, context.now()), query) }
    },
  }
}

/** A job that its provider has is cancelled there. Otherwise it ends immediately. */
function cancelling({ status, attributes, data }: JobDraft, nowMs: number) {
  const { provider } = data
  // Removes it from the jobs whose end has not been reported yet.
  const told = { attributes: { owner: [data.owner] } }
  if (provider == null) return { ...told, data: { ...data, cancelled_at: nowMs } }
  const isOver = provider.job_id === null && provider.submitting_at === null
  if (!isOver)
    return { attributes, data: { ...data, provider: { ...provider, is_cancelling: true } }, status }
  const over = { ...provider, status: 'cancelled', ended_at: nowMs }
  return { ...told, status: 'cancelled', data: { ...data, provider: over } }
}

type JobDraft = Pick<JobDocument, 'status' | 'attributes' | 'data'>

const isOfProvider = (request: EndpointRequest): boolean =>
  readId('fine_tuning_job', request.params.fine_tuning_job_id ?? '') === null && request.namesTarget

/** One page of a complete list, after the object with the id `after`. */
function page(all: readonly JsonObject[], { after, limit }: CursorQuery): JsonObject {
  const at = after === null ? -1 : all.findIndex(({ id }) => id === after)
  if (after !== null && at === -1)
    throw new GatewayError('invalid_cursor', 'query/after: no object of this list has this id.', {
      param: 'query/after',
    })
  const data = all.slice(at + 1, at + 1 + limit)
  return {
    object: 'list',
    data,
    has_more: all.length > at + 1 + limit,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
