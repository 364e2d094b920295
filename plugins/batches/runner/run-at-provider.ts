/**
 * A batch whose lines a provider runs: submitted once (`submit.ts`), polled until it ends (`poll.ts`), and its answers
 * charged (`charge-results.ts`).
 */
import type { JsonObject } from '@gateway/contract'
import { holdAgain } from '../batches/hold.ts'
import type { BatchDocument } from '../batches/store.ts'
import { chargeResults, chargeWatched } from './charge-results.ts'
import { createLineCommits } from './commit-lines.ts'
import { failRest, openHeaders, type RunnerParts, type Running, sumsOf, totalsOf } from './common.ts'
import { compatibleBatch } from './compatible-batch.ts'
import { messageBatch } from './message-batch.ts'
import { poll } from './poll.ts'
import { createAsk, ProviderRefusal } from './provider-calls.ts'
import { keep, providerOf, type Work } from './provider-work.ts'
import { discardWire, submit } from './submit.ts'

export async function runAtProvider(parts: RunnerParts, running: Running): Promise<'done' | 'left'> {
  const { context, handOver, batches, slots } = parts
  const { batch, fence } = running
  const { id } = batch
  const headers = openHeaders(context, batch)
  const slug = batch.data.provider?.slug ?? null
  const ask = createAsk({ context, batch, headers, slug })
  const calls =
    batch.data.provider?.format === 'messages'
      ? messageBatch(ask, batch)
      : compatibleBatch(ask, batch, linesOf(parts, batch))
  const commits = createLineCommits({ context, handOver, slots }, { id, fence })
  const done = new Set(await context.work.positions(id))
  const work: Work = { ...running, parts, calls, headers, commits, done }
  await holdAgain(context, batch.data.provider?.hold)
  try {
    if (providerOf(batch).isWatched) {
      const details = await poll(work)
      return details === null ? 'left' : await chargeWatched(work, details)
    }
    for (;;) {
      if (!(await submit(work))) return running.leave.aborted ? 'left' : await close(work, null)
      const details = await poll(work)
      if (details === null) return 'left'
      if (await isOurs(work, details)) return await close(work, details)
    }
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || error.isPassing) throw error
    await batches.change(id, ({ data }) => ({
      status: 'failed',
      data: {
        errors: [{ code: error.code, message: error.message, param: null, line: null }],
        times: { ...data.times, failed_at: context.now() },
      },
    }))
    return 'done'
  }
}

const linesOf = ({ context }: RunnerParts, { data }: BatchDocument) =>
  data.provider === null ? null : context.batchLinesOf(data.provider.name)

/** A batch that was matched after a crash can be confirmed only by its results. */
async function isOurs(work: Work, details: JsonObject): Promise<boolean> {
  if (details.id === undefined || (await work.calls.isOurs(details))) return true
  const { passed_over: passedOver = [] } = providerOf(await keep(work, {}))
  await keep(work, {
    batch_id: null,
    details: null,
    passed_over: [...passedOver, String(details.id)],
  })
  return false
}

/** Charges every answer, then records the end of the batch. */
async function close(work: Work, details: JsonObject | null): Promise<'done' | 'left'> {
  const { parts, batch, calls, commits, done, leave } = work
  const { context, batches, files } = parts
  const status = details === null ? 'completed' : String(details.status ?? 'completed')
  if (details !== null) await chargeResults(work, calls.results(details))
  if (leave.aborted) return 'left'
  await discardWire(work)
  const totals = await totalsOf(parts, batch.id)
  if (status === 'failed' && totals.completed + totals.failed === 0) {
    await batches.change(batch.id, ({ data }) => ({
      status: 'failed',
      data: { errors: errorsOf(details), times: { ...data.times, failed_at: context.now() } },
    }))
    return 'done'
  }
  const current = await batches.get(batch.id)
  const isCancelled = current?.status === 'cancelling' || status === 'cancelled'
  if (!isCancelled) {
    const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
    if (file !== null) await failRest(await files.read(file), { batch, done, commits })
  }
  const sums = await totalsOf(parts, batch.id)
  if (status === 'expired' && !isCancelled) return 'done'
  await batches.change(batch.id, (seen) => {
    if (seen.status !== 'in_progress') return null
    const at = context.now()
    return isCancelled
      ? { status: 'cancelling', data: { times: { ...seen.data.times, cancelling_at: at } } }
      : {
          status: 'finalizing',
          data: { times: { ...seen.data.times, finalizing_at: at }, ...sumsOf(seen.data, sums) },
        }
  })
  return 'done'
}

function errorsOf(details: JsonObject | null) {
  const errors = details?.errors
  const listed =
    typeof errors === 'object' && errors !== null && 'data' in errors && Array.isArray(errors.data)
      ? (errors.data as JsonObject[])
      : []
  const told = listed.map(({ code, message, param, line }) => ({
    code: String(code ?? 'provider_error'),
    message: String(message ?? 'The provider refused the batch.'),
    param: typeof param === 'string' ? param : null,
    line: typeof line === 'number' ? line : null,
  }))
  if (told.length > 0) return told
  return [{ code: 'provider_error', message: 'The provider refused the batch.', param: null, line: null }]
}
