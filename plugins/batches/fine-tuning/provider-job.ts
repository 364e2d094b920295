/**
 * A job at a provider with files that the gateway stores: uploads the files, creates the job once, and polls it with
 * its events and checkpoints until it ends. Each id from the provider is stored before the next step. If the creation
 * was not answered, the job is found by its training file, which was uploaded only for this job.
 */
import {
  faultReason,
  isGatewayError,
  isObject,
  type JsonObject,
  type ServiceContext,
} from '@gateway/contract'
import type { FileLibrary } from '../files/library.ts'
import { type Ask, createAsk, objectOf, ProviderRefusal } from '../runner/provider-calls.ts'
import { uploadForm } from '../runner/upload-form.ts'
import { readId } from '../shared/ids.ts'
import type { JobDocument, ProviderJob } from './entities.ts'

const liveStates = ['validating_files', 'queued', 'running'] as const

export interface ProviderJobs {
  /** Looks periodically for jobs to continue; never rejects. */
  look(): void
  /** Called when a job was created or is to be cancelled. */
  nudge(): void
  close(): Promise<void>
}

const leaseMs = 120_000
const mostPages = 10
const maxTries = 20
const soonMs = 2000

export function createProviderJobs(
  context: ServiceContext<
    'batches' | 'beginWork' | 'counters' | 'log' | 'now' | 'runInference' | 'sealer' | 'stopping' | 'work'
  >,
  files: FileLibrary,
): ProviderJobs {
  const { documents } = files
  const { work } = context
  let running: Promise<void> | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  let isAsked = false
  let isClosed = false

  async function change(
    id: string,
    made: (job: ProviderJob) => Partial<ProviderJob>,
  ): Promise<JobDocument | null> {
    for (let tries = 1; ; tries += 1) {
      const found = await documents.get('fine_tuning_job', id)
      if (found === null || found.data.provider == null) return null
      const { version, ...job } = found
      const provider = { ...found.data.provider, ...made(found.data.provider) }
      const document = {
        ...job,
        status: provider.status,
        last_updated_at: context.now(),
        data: { ...job.data, provider },
      }
      try {
        await documents.commit([{ op: 'put', document, expected: version }])
        return { ...document, version: version + 1 }
      } catch (error) {
        if (tries >= maxTries || !isGatewayError(error) || error.code !== 'precondition_failed') throw error
      }
    }
  }

  async function advance(job: JobDocument): Promise<void> {
    const provider = job.data.provider
    if (provider == null) return
    const keep = (made: Partial<ProviderJob>) => change(job.id, () => made)
    const { fault } = job.data
    if (fault !== null) {
      await keep({ status: 'failed', error: fault, ended_at: context.now() })
      return
    }
    const ask = createAsk({
      context,
      batch: { data: provider },
      headers: JSON.parse(context.sealer.open(provider.sealed_headers, `fine-tuning/${job.id}`)) as Record<
        string,
        string
      >,
      slug: provider.slug,
    })
    try {
      await submitted(ask, job, { given: provider, keep })
    } catch (error) {
      if (!(error instanceof ProviderRefusal)) throw error
      const told = { code: error.code, message: error.message, param: null }
      if (!error.isPassing) await keep({ status: 'failed', error: told, ended_at: context.now() })
    }
  }

  async function submitted(
    ask: Ask,
    job: JobDocument,
    {
      given,
      keep,
    }: { given: ProviderJob; keep: (made: Partial<ProviderJob>) => Promise<JobDocument | null> },
  ): Promise<void> {
    let provider = given
    if (provider.status === 'validating_files') await keep({ status: 'queued' })
    if (provider.job_id === null) {
      const training = provider.training_id ?? (await upload(ask, job, job.data.training_file))
      if (provider.training_id === null) await keep({ training_id: training })
      const second = job.data.validation_file
      const validation = provider.validation_id ?? (second === null ? null : await upload(ask, job, second))
      if (validation !== provider.validation_id) await keep({ validation_id: validation })
      const known = provider.submitting_at === null ? null : await created(ask, training)
      if (known === null) await keep({ submitting_at: context.now() })
      const details = known ?? objectOf(await ask('POST', root, { body: bodyOf(job, training, validation) }))
      const kept = await keep({ job_id: String(details.id), details, status: stateOf(details) })
      if (kept?.data.provider == null) return
      provider = kept.data.provider
    }
    const path = `${root}/${encodeURIComponent(provider.job_id ?? '')}`
    if (provider.is_cancelling && !provider.is_cancelled) {
      // If it has ended in the meantime, the next read shows it.
      await ask('POST', `${path}/cancel`, { body: {} }).catch((error: unknown) => {
        if (!(error instanceof ProviderRefusal) || error.isPassing) throw error
      })
      await keep({ is_cancelled: true })
    }
    const details = objectOf(await ask('GET', path))
    const [events, checkpoints] = [
      await listed(ask, `${path}/events`),
      await listed(ask, `${path}/checkpoints`),
    ]
    const status = stateOf(details)
    const hasEnded = !liveStates.some((state) => state === status)
    await keep({
      details,
      status,
      ...(events === null ? {} : { events }),
      ...(checkpoints === null ? {} : { checkpoints }),
      ...(hasEnded ? { ended_at: context.now() } : {}),
      polled_at: context.now(),
    })
  }

  async function upload(ask: Ask, job: JobDocument, written: string): Promise<string> {
    const file = await files.findDocument(readId('file', written)?.id ?? '', job.workspace_id ?? '')
    if (file === null) throw new ProviderRefusal(404, 'invalid_file', `The file ${written} no longer exists.`)
    const raw = uploadForm(
      { purpose: 'fine-tune', filename: file.data.filename, options: job.data.provider?.options ?? null },
      await files.read(file),
    )
    return String(objectOf(await ask('POST', '/v1/files', { raw })).id)
  }

  async function lookForWork(): Promise<void> {
    const page = await documents.list(
      'fine_tuning_job',
      { statuses: [...liveStates] },
      { sort: 'created_at', order: 'asc', offset: 0, limit: 500 },
    )
    for (const job of page.documents) {
      if (isClosed || context.stopping.aborted) return
      if (!isDue(job)) continue
      const fence = await work.acquire(job.id, leaseMs, context.now())
      if (fence === null) continue
      const done = context.beginWork()
      try {
        const current = await documents.get('fine_tuning_job', job.id)
        if (current !== null && liveStates.some((state) => state === current.status)) await advance(current)
      } catch (error) {
        const reason = faultReason(error)
        context.log.warn({ job: job.id, reason }, 'failed to advance a fine-tuning job; retrying')
      } finally {
        await work.release(job.id, fence)
        done()
      }
    }
  }

  function isDue({ data: { provider } }: JobDocument): boolean {
    if (provider == null) return false
    if (provider.polled_at === null || (provider.is_cancelling && !provider.is_cancelled)) return true
    return context.now() - provider.polled_at >= context.batches().pollMs
  }

  function nudge(): void {
    if (isClosed || context.stopping.aborted) return
    isAsked = true
    running ??= (async () => {
      while (isAsked) {
        isAsked = false
        lookedAt = context.now()
        await lookForWork()
      }
    })()
      .catch((error: unknown) => {
        const reason = faultReason(error)
        context.log.warn({ reason }, 'failed to look for fine-tuning jobs')
      })
      .finally(() => {
        running = null
      })
  }

  return {
    look() {
      if (context.now() - lookedAt >= Math.max(soonMs, Math.min(context.batches().pollMs, 10_000))) nudge()
    },
    nudge,
    async close() {
      isClosed = true
      await running
    },
  }
}

const root = '/v1/fine_tuning/jobs'

const states: readonly string[] = [...liveStates, 'succeeded', 'failed', 'cancelled']

/** An unknown state of the provider is treated as running. */
const stateOf = ({ status }: JsonObject): string =>
  states.includes(String(status)) ? String(status) : 'running'

function bodyOf(
  { data: { model, suffix, method, seed, integrations, provider } }: JobDocument,
  training: string,
  validation: string | null,
): JsonObject {
  return {
    model,
    training_file: training,
    ...(validation === null ? {} : { validation_file: validation }),
    suffix,
    method,
    seed,
    ...(integrations === null ? {} : { integrations }),
    ...(provider?.options == null ? {} : { provider_options: provider.options }),
  }
}

/** The job with this training file, which was uploaded only for it. */
async function created(ask: Ask, training: string): Promise<JsonObject | null> {
  const { data } = objectOf(await ask('GET', `${root}?limit=100`))
  const found = (Array.isArray(data) ? data : []).find(
    (one) => isObject(one) && one.training_file === training,
  )
  return isObject(found) ? found : null
}

/** Newest first. Null if the provider has no such list. */
async function listed(ask: Ask, path: string): Promise<JsonObject[] | null> {
  const all: JsonObject[] = []
  let after = ''
  for (let page = 0; page < mostPages; page += 1) {
    let answered: JsonObject
    try {
      answered = objectOf(await ask('GET', `${path}?limit=100${after}`))
    } catch (error) {
      if (error instanceof ProviderRefusal && !error.isPassing) return null
      throw error
    }
    const found = Array.isArray(answered.data) ? answered.data.filter(isObject) : []
    all.push(...found)
    const last = found.at(-1)
    if (answered.has_more !== true || last === undefined) break
    after = `&after=${encodeURIComponent(String(last.id))}`
  }
  return all
}
