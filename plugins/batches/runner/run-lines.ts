/** Runs the lines of a batch without a result, with limited concurrency, in the order of the file. */
import type { ServiceContext } from '@gateway/contract'
import type { BatchDocument } from '../batches/store.ts'
import { type BackOff, retryAfterOf } from '../engine/back-off.ts'
import type { Slots } from '../engine/slots.ts'
import { type BatchLine, readLine } from './check-lines.ts'
import type { ResultCommits } from './commit-lines.ts'
import { readLines } from './read-lines.ts'
import { askLine, type LineResult, refusedLine, resultOf } from './run-line.ts'

export interface RunLinesOptions {
  context: ServiceContext<'now' | 'runInference'>
  batch: BatchDocument
  headers: Readonly<Record<string, string>>
  source: AsyncIterable<Uint8Array>
  maxLineBytes: number
  /** Positions of the lines with a result. */
  done: ReadonlySet<number>
  concurrency: number
  backOff: BackOff
  slots: Slots
  commits: ResultCommits
  /** Fires when no more lines should be sent; lines in flight complete. */
  stop: AbortSignal
  /** Called for each committed result. */
  kept(result: LineResult): void
}

/**
 * The delay between the starts of the first lines. Lines that start together end together, and would repeatedly wait
 * for each other's results to be committed.
 */
const firstGapMs = 2

export async function runLines(options: RunLinesOptions): Promise<void> {
  const { batch, source, maxLineBytes, done, concurrency, slots, stop, kept, commits } = options
  const running = new Set<Promise<void>>()
  let started = 0
  let fault: unknown = null
  for await (const read of readLines(source, maxLineBytes)) {
    if (stop.aborted || fault !== null) break
    if (done.has(read.number)) continue
    const { line } = readLine(read, batch.data.endpoint)
    // The line was valid when the file was checked.
    if (line === null) continue
    while (running.size >= concurrency) await Promise.race(running)
    if (started > 0 && started < concurrency) await new Promise((resolve) => setTimeout(resolve, firstGapMs))
    started += 1
    const release = await slots.take(batch.workspace_id ?? '')
    if (stop.aborted || fault !== null) {
      release()
      break
    }
    const work: Promise<void> = runOne(options, line)
      .finally(release)
      .then(async (result) => {
        if (result === null) return
        await commits.add(result)
        kept(result)
      })
      .catch((error: unknown) => {
        fault ??= error
      })
      .finally(() => void running.delete(work))
    running.add(work)
  }
  await Promise.all(running)
  if (fault !== null) throw fault
}

/** Null for a line that was not sent because the batch ends. */
async function runOne(options: RunLinesOptions, line: BatchLine): Promise<LineResult | null> {
  const { context, batch, headers, backOff, stop } = options
  if (line.body.stream === true)
    return refusedLine(batch.id, line, {
      status: 400,
      code: 'invalid_body',
      message: '/stream: the lines of a batch cannot stream',
      param: '/stream',
    })
  const target = targetOf(batch, line)
  // A line that has started always completes.
  const { signal } = new AbortController()
  for (;;) {
    await backOff.wait(target, stop)
    if (stop.aborted) return null
    const answer = await askLine(context, { batch, headers, signal }, { line })
    if (answer.status !== 429) {
      backOff.passed(target)
      return resultOf(batch.id, line, answer)
    }
    backOff.refused(target, retryAfterOf(answer.headers, context.now()))
  }
}

/**
 * Lines of one workspace, config and credential share backoff. A prefix in the model selects a different credential.
 */
function targetOf({ workspace_id: workspaceId, data }: BatchDocument, { body }: BatchLine): string {
  const model = typeof body.model === 'string' && body.model.startsWith('@') ? body.model : ''
  return `${workspaceId}\n${data.target}\n${model}`
}
