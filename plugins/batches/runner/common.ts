/** Shared by gateway and provider batches. */
import type { ServiceContext } from '@gateway/contract'
import type { BatchDocument, BatchStore } from '../batches/store.ts'
import type { BackOff } from '../engine/back-off.ts'
import type { WorkContext } from '../engine/engine.ts'
import type { HandOver } from '../engine/hand-over.ts'
import type { Around } from '../engine/scheduler.ts'
import type { Slots } from '../engine/slots.ts'
import type { FileLibrary } from '../files/library.ts'
import type { BatchData } from '../shared/entities.ts'
import { readLine } from './check-lines.ts'
import type { ResultCommits } from './commit-lines.ts'
import { readLines } from './read-lines.ts'
import { refusedLine } from './run-line.ts'
import { addResult, emptyTotals, type Totals } from './totals.ts'
import { eachResult } from './write-output.ts'

export interface RunnerParts {
  context: WorkContext<'batchLinesOf' | 'bodyLimitBytes' | 'files' | 'sealer'>
  files: FileLibrary
  batches: BatchStore
  backOff: BackOff
  slots: Slots
  handOver: HandOver
}

export interface Running extends Around<BatchDocument> {
  batch: BatchDocument
}

/** The limit for a validated line: the size limit of a file, even if the limit of a request has been lowered since. */
export const maxCheckedLineBytes = 209_715_200

interface Rest {
  batch: BatchDocument
  done: ReadonlySet<number>
  commits: ResultCommits
}

/** Fails the unsent lines of an expired batch. */
export async function failRest(
  source: AsyncIterable<Uint8Array>,
  { batch, done, commits }: Rest,
): Promise<void> {
  let group: Promise<void>[] = []
  for await (const read of readLines(source, maxCheckedLineBytes)) {
    const { line } = readLine(read, batch.data.endpoint)
    if (line === null || done.has(read.number)) continue
    const message = 'The batch expired before this line was sent.'
    group.push(commits.add(refusedLine(batch.id, line, { code: 'batch_expired', message })))
    if (group.length < 1000) continue
    await Promise.all(group)
    group = []
  }
  await Promise.all(group)
}

export const sumsOf = ({ counts }: BatchData, { completed, failed, usage }: Totals): Partial<BatchData> => ({
  counts: { ...counts, completed, failed },
  usage: { ...usage },
})

export async function totalsOf({ context }: Pick<RunnerParts, 'context'>, id: string): Promise<Totals> {
  const totals = emptyTotals()
  for await (const result of eachResult(context.work, id)) addResult(totals, result)
  return totals
}

/** The creator is authenticated again for each line. */
export function openHeaders({ sealer }: ServiceContext<'sealer'>, { id, data }: BatchDocument) {
  return JSON.parse(sealer.open(data.sealed_headers, `batch/${id}`)) as Record<string, string>
}
