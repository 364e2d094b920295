/**
 * Runs a batch from validation to its end, in the process with its lease. Every step can be repeated: the next process
 * completes the work of a dead one.
 */
import type { DocumentWrite } from '@gateway/contract'
import type { BatchState } from '@gateway/contract/wire'
import { derivedId } from '@gateway/domain'
import { endEvents } from '../batches/batch-event.ts'
import { releaseHold } from '../batches/hold.ts'
import { type BatchDocument, type BatchStore, isLive } from '../batches/store.ts'
import type { FileLibrary } from '../files/library.ts'
import type { BatchData, BatchFault } from '../shared/entities.ts'
import { writeId } from '../shared/ids.ts'
import { checkLines } from './check-lines.ts'
import { createLineCommits } from './commit-lines.ts'
import {
  failRest,
  maxCheckedLineBytes,
  openHeaders,
  type RunnerParts,
  type Running,
  sumsOf,
  totalsOf,
} from './common.ts'
import { runAtProvider } from './run-at-provider.ts'
import { runLines } from './run-lines.ts'
import { addResult, type Totals } from './totals.ts'
import { linesOf } from './write-output.ts'

/** The interval for writing the counts of a running batch. */
const countsMs = 1000
const dayMs = 86_400_000

export async function runBatch(parts: RunnerParts, running: Running): Promise<void> {
  const { batches } = parts
  let batch: BatchDocument | null = running.batch
  if (batch.status === 'validating') batch = await validate(parts, batch)
  if (batch === null || !isLive(batch) || running.leave.aborted) return
  if (batch.status === 'in_progress' || batch.status === 'cancelling') {
    const runs = batch.data.provider === null ? run : runAtProvider
    const outcome = await runs(parts, { ...running, batch })
    if (outcome === 'left') return
    batch = await batches.get(batch.id)
  }
  if (batch === null || !isLive(batch)) return
  await finish(parts, batch)
}

/** Reads the complete input once. Nothing is sent until all lines are valid. */
async function validate({ context, files, batches }: RunnerParts, batch: BatchDocument) {
  const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
  const now = () => context.now()
  const checked =
    file === null
      ? { lines: 0, faults: [gone] }
      : await checkLines(await files.read(file), {
          endpoint: batch.data.endpoint,
          maxLineBytes: context.bodyLimitBytes(),
        })
  return batches.change(batch.id, ({ status, data }) => {
    if (status !== 'validating') return null
    const counts = { ...data.counts, total: checked.lines }
    return checked.faults.length > 0
      ? {
          status: 'failed',
          data: { errors: checked.faults, times: { ...data.times, failed_at: now() } },
        }
      : { status: 'in_progress', data: { counts, times: { ...data.times, in_progress_at: now() } } }
  })
}

const gone: BatchFault = {
  code: 'empty_file',
  message: 'The input file no longer exists.',
  param: 'input_file_id',
  line: null,
}

/** Runs lines without a result until all have one or the batch ends otherwise. */
async function run(parts: RunnerParts, running: Running): Promise<'done' | 'left'> {
  const { context, files, batches, backOff, slots, handOver } = parts
  const { batch, fence, leave, watch } = running
  const { id, data } = batch
  const totals = await totalsOf(parts, id)
  const done = new Set(await context.work.positions(id))
  const file = await files.findDocument(data.input_document ?? '', batch.workspace_id ?? '')
  const stop = new AbortController()
  const end = () => stop.abort()
  leave.addEventListener('abort', end, { once: true })
  if (leave.aborted || batch.status === 'cancelling' || isExpiring(batch) || file === null) end()
  const unwatch = watch((seen) => {
    if (seen.status !== 'in_progress') end()
  })
  const expiry = setTimeout(end, Math.max(0, Math.min(data.expires_at - context.now(), dayMs)))
  const counting = countNowAndThen(batches, id, totals)
  const commits = createLineCommits({ context, handOver, slots }, { id, fence })
  try {
    if (file !== null && !stop.signal.aborted)
      await runLines({
        context,
        batch,
        headers: openHeaders(context, batch),
        source: await files.read(file),
        maxLineBytes: maxCheckedLineBytes,
        done,
        concurrency: context.batches().concurrency,
        backOff,
        slots,
        commits,
        stop: stop.signal,
        kept: (result) => {
          done.add(result.number)
          addResult(totals, result)
          counting.changed()
        },
      })
  } finally {
    leave.removeEventListener('abort', end)
    clearTimeout(expiry)
    unwatch()
    await counting.stop()
  }
  if (leave.aborted) return 'left'
  const current = await batches.get(id)
  const isOutOfTime = data.expires_at <= context.now() && done.size < data.counts.total
  if (current?.status === 'in_progress' && (isOutOfTime || isExpiring(current))) {
    await expire(parts, id)
    if (file !== null) await failRest(await files.read(file), { batch, done, commits })
    return 'done'
  }
  await batches.change(id, ({ status, data: now }) => {
    if (status !== 'in_progress') return null
    const at = context.now()
    return {
      status: 'finalizing',
      data: { times: { ...now.times, finalizing_at: at }, ...sumsOf(now, totals) },
    }
  })
  return 'done'
}

const isExpiring = ({ data }: BatchDocument): boolean => data.times.expiring_at !== undefined

/**
 * Recorded before its lines fail: once all have a result, the next process could not tell an expired batch from a completed
 * one.
 */
const expire = ({ context, batches }: RunnerParts, id: string) =>
  batches.change(id, ({ status, data }) =>
    status === 'in_progress' && data.times.expiring_at === undefined
      ? { data: { times: { ...data.times, expiring_at: context.now() } } }
      : null,
  )

/** Writes the counts periodically, which shows callers the progress. */
function countNowAndThen(batches: BatchStore, id: string, totals: Totals) {
  let hasChanged = false
  let writing: Promise<unknown> = Promise.resolve()
  const write = () => {
    if (!hasChanged) return
    hasChanged = false
    writing = batches
      .change(id, ({ data }) => ({ data: sumsOf(data, totals) }), true)
      // The next write includes these counts.
      .catch(() => undefined)
  }
  const timer = setInterval(write, countsMs)
  return {
    changed() {
      hasChanged = true
    },
    async stop() {
      clearInterval(timer)
      await writing
    },
  }
}

/** The last state of a batch that was not completed in time is `in_progress`. */
const lastStates: Readonly<Record<string, BatchState>> = {
  cancelling: 'cancelled',
  in_progress: 'expired',
  finalizing: 'completed',
}

/** Writes the output files and the last state. */
async function finish(parts: RunnerParts, batch: BatchDocument): Promise<void> {
  const { context, files, handOver } = parts
  const { id } = batch
  const totals = await totalsOf(parts, id)
  const place = { organisationId: batch.organisation_id ?? '', workspaceId: batch.workspace_id ?? '' }
  const { work } = context
  const output =
    totals.completed === 0 ? null : await files.write(place, linesOf(work, id, false), outputId(id, 'output'))
  const errors =
    totals.failed === 0 ? null : await files.write(place, linesOf(work, id, true), outputId(id, 'error'))
  const state = lastStates[batch.status] ?? 'completed'
  const made = [
    ...(output === null ? [] : [{ written: output, file: outputFile(parts, batch, 'output') }]),
    ...(errors === null ? [] : [{ written: errors, file: outputFile(parts, batch, 'error') }]),
  ]
  const hold = batch.data.provider?.hold ?? null
  if (hold !== null) {
    // Count the lines' usage before releasing their reservation.
    await handOver.all()
    await releaseHold(context, hold)
  }
  const ended = await endWith(parts, batch, {
    state,
    made,
    sums: {
      ...sumsOf(batch.data, totals),
      output_file_id: output === null ? null : writeId('file', batch.data.owner, output.id),
      error_file_id: errors === null ? null : writeId('file', batch.data.owner, errors.id),
    },
  })
  await handOver.all()
  if (ended) await work.clear(id)
  await letInputExpire(parts, batch)
}

const outputId = (id: string, kind: string) => derivedId(`${id}/${kind}`)

type Made = Parameters<FileLibrary['commit']>[1][number]

interface EndWithOptions {
  state: BatchState
  made: readonly Made[]
  sums: Partial<BatchData>
}

/** The state and the files become visible together. */
async function endWith(
  { context, batches, files }: RunnerParts,
  { id, organisation_id, workspace_id }: BatchDocument,
  { state, made, sums }: EndWithOptions,
): Promise<boolean> {
  const place = { organisationId: organisation_id ?? '', workspaceId: workspace_id ?? '' }
  const current = await batches.get(id)
  if (current === null || !isLive(current)) return false
  const at = context.now()
  const { times } = current.data
  const { version, ...draft } = current
  const document = {
    ...draft,
    status: state,
    last_updated_at: at,
    data: {
      ...current.data,
      ...sums,
      times: {
        ...times,
        ...(state === 'completed' && times.finalizing_at === undefined ? { finalizing_at: at } : {}),
        [`${state}_at`]: at,
      },
    },
  }
  const write: DocumentWrite = { op: 'put', document, expected: version }
  await files.commit(place, made, () => [write, ...endEvents(document, at)])
  return true
}

function outputFile({ context }: RunnerParts, { data, id }: BatchDocument, kind: 'output' | 'error') {
  const keptMs =
    data.output_expires_after === null
      ? context.files().retentionDays * dayMs
      : data.output_expires_after * 1000
  return {
    owner: data.owner,
    filename: `${writeId('batch', data.owner, id)}_${kind}.jsonl`,
    purpose: 'batch_output',
    contentType: 'application/jsonl',
    expiresAt: context.now() + keptMs,
  }
}

async function letInputExpire({ context, files }: RunnerParts, batch: BatchDocument): Promise<void> {
  const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
  if (file === null || file.data.expires_at !== null) return
  await files.expireAt(file, context.now() + context.files().retentionDays * dayMs)
}
