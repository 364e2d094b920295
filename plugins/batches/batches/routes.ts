/** The endpoints of batches: those that the gateway runs, and forwarding for those of a provider. */
import { type EndpointHandler, type EndpointId, type EndpointRequest, GatewayError } from '@gateway/contract'
import { ownerOf, passOn } from '../files/routes.ts'
import { callerOf } from '../shared/caller.ts'
import { listByCursor, readCursorQuery } from '../shared/cursor.ts'
import { conflict } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { chargeMessagesFirst } from './charge-first.ts'
import { createBatch } from './create.ts'
import { createMessageBatch } from './create-messages.ts'
import type { CreateParts } from './make-batch.ts'
import { presentBatch } from './present.ts'
import { retryBatch } from './retry.ts'
import { type BatchDocument, type BatchStore, isLive } from './store.ts'

export interface BatchRoutesOptions extends CreateParts {
  batches: BatchStore
}

const pages = { most: 100, standard: 20 }

export function batchHandlers(options: BatchRoutesOptions): Partial<Record<EndpointId, EndpointHandler>> {
  const { files, batches, audit, nudge } = options
  const find = (request: EndpointRequest) =>
    batches.find(request.params.batch_id ?? '', callerOf(request).workspaceId)

  return {
    createBatch: (request) => createBatch(options, request),
    createMessageBatch: (request) => createMessageBatch(options, request),
    async deleteMessageBatch(request) {
      await chargeMessagesFirst(options, request)
      return passOn(request)
    },
    async listBatches(request) {
      const owner = await ownerOf(request)
      if (owner === null) return passOn(request)
      const body = await listByCursor({
        documents: files.documents,
        kind: 'batch',
        workspaceId: callerOf(request).workspaceId,
        attributes: { owner: [owner] },
        query: { ...readCursorQuery(request.query, pages), order: 'desc' },
        present: (batch) => presentBatch(batch),
      })
      return { status: 200, body }
    },
    async retrieveBatch(request) {
      const showsProvider = readFlag(request, 'include_provider_details')
      if (isOfProvider(request)) return passOn(request)
      return { status: 200, body: presentBatch(await find(request), showsProvider) }
    },
    async cancelBatch(request) {
      if (isOfProvider(request)) return passOn(request)
      const { id } = await find(request)
      const cancelled = await batches.change(id, (batch) => {
        if (batch.status === 'cancelling') return null
        if (batch.status !== 'validating' && batch.status !== 'in_progress')
          throw conflict(`The batch is ${batch.status} and can no longer be cancelled.`, 'path/batch_id')
        return cancelling(options, request, batch)
      })
      nudge()
      return { status: 200, body: presentBatch(cancelled ?? (await find(request))) }
    },
    async getBatchOutput(request) {
      if (isOfProvider(request)) return outputOfProvider(options, request)
      const batch = await find(request)
      const { output_file_id: output, error_file_id: errors } = batch.data
      if (isLive(batch) || (output === null && errors === null))
        throw conflict('The batch has no output yet.', 'path/batch_id')
      const { workspaceId } = callerOf(request)
      const found = await Promise.all(
        [output, errors]
          .filter((id) => id !== null)
          .map((id) => files.find(id, workspaceId, 'path/batch_id')),
      )
      const sources = await Promise.all(found.map((file) => files.read(file)))
      return {
        status: 200,
        headers: { 'content-type': 'application/jsonl', 'x-content-type-options': 'nosniff' },
        body: { stream: joined(sources) },
      }
    },
    async retryBatch(request) {
      if (isOfProvider(request))
        throw new GatewayError('unsupported_endpoint', 'Only batches that the gateway runs can be retried.')
      return { status: 200, body: await retryBatch(options, request, await find(request)) }
    },
  }

  function cancelling(
    { context: { now } }: Pick<BatchRoutesOptions, 'context'>,
    request: EndpointRequest,
    batch: BatchDocument,
  ) {
    const at = now()
    const before = presentBatch(batch)
    // Nothing was sent yet, so the batch ends immediately.
    const isOver = batch.status === 'validating' && batch.data.provider?.batch_id == null
    const times = { ...batch.data.times, cancelling_at: at, ...(isOver ? { cancelled_at: at } : {}) }
    return {
      status: isOver ? ('cancelled' as const) : ('cancelling' as const),
      data: { times },
      also: [audit.write(request, { action: 'cancel', type: 'batch', id: batch.id, before })],
    }
  }
}

const isOfProvider = (request: EndpointRequest): boolean =>
  readId('batch', request.params.batch_id ?? '') === null && request.namesTarget

function readFlag({ query }: EndpointRequest, name: string): boolean {
  const value = query[name]
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  const param = `query/${name}`
  throw new GatewayError('invalid_query', `${param}: must be true or false`, { param })
}

async function* joined(sources: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (const source of sources) yield* source
}

/** Output lines, then error lines, read from the files of the provider. */
async function outputOfProvider({ context }: Pick<BatchRoutesOptions, 'context'>, request: EndpointRequest) {
  const { identity } = callerOf(request)
  const ask = (path: string) =>
    context.runInference({
      method: 'GET',
      path,
      body: null,
      identity,
      headers: request.laterHeaders(),
      clientIp: request.clientIp,
      signal: request.signal,
    })
  const answer = await ask(`/v1/batches/${encodeURIComponent(request.params.batch_id ?? '')}`)
  const text = answer.text ?? 'null'
  if (answer.status !== 200)
    return { status: answer.status, headers: { 'content-type': 'application/json' }, body: { text } }
  const batch = JSON.parse(text) as { output_file_id?: string | null; error_file_id?: string | null }
  const ids = [batch.output_file_id, batch.error_file_id].filter((id) => typeof id === 'string')
  if (ids.length === 0) throw conflict('The batch has no output yet.', 'path/batch_id')
  async function* read(): AsyncGenerator<Uint8Array> {
    for (const id of ids) {
      const content = await ask(`/v1/files/${encodeURIComponent(id)}/content`)
      if (content.status !== 200 || content.stream === null)
        throw new GatewayError(
          'upstream_invalid_response',
          'The provider did not return a file of the batch.',
        )
      yield* content.stream
    }
  }
  return { status: 200, headers: { 'content-type': 'application/jsonl' }, body: { stream: read() } }
}
