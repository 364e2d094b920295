/** Shared by the steps of a provider batch. */
import type { BatchDocument } from '../batches/store.ts'
import type { ProviderBatch } from '../shared/entities.ts'
import { type BatchLine, readLine } from './check-lines.ts'
import type { ResultCommits } from './commit-lines.ts'
import { maxCheckedLineBytes, type RunnerParts, type Running } from './common.ts'
import { type ProviderCalls, ProviderRefusal } from './provider-calls.ts'
import { readLines } from './read-lines.ts'

export interface Work extends Running {
  parts: RunnerParts
  calls: ProviderCalls
  headers: Readonly<Record<string, string>>
  commits: ResultCommits
  /** Numbers of the lines with a result. */
  done: Set<number>
}

/** The number of lines that are prepared, or charged, concurrently. */
export const atOnce = 25

export const providerOf = ({ data }: BatchDocument): ProviderBatch => {
  if (data.provider === null) throw new Error('The batch has no provider.')
  return data.provider
}

/** Stores the provider's answer before the next step. */
export async function keep({ parts, batch }: Work, change: Partial<ProviderBatch>): Promise<BatchDocument> {
  const kept = await parts.batches.change(batch.id, (seen) => ({
    data: { provider: { ...providerOf(seen), ...change } },
  }))
  if (kept === null) throw new Error('The batch no longer exists.')
  return kept
}

/** Lines of the input without a result. */
export async function* chunksOf({ parts: { files }, batch, done }: Work): AsyncGenerator<BatchLine[]> {
  const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
  if (file === null) throw new ProviderRefusal(404, 'invalid_file', 'The input file no longer exists.')
  let chunk: BatchLine[] = []
  for await (const read of readLines(await files.read(file), maxCheckedLineBytes)) {
    const { line } = readLine(read, batch.data.endpoint)
    if (line === null || done.has(line.number)) continue
    chunk.push(line)
    if (chunk.length < atOnce) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
