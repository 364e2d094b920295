/** Commits results of lines in groups, and counts them. */
import { createCommits } from '../engine/commit-results.ts'
import type { Engine } from '../engine/engine.ts'
import type { LineResult } from './run-line.ts'
import { packResult } from './totals.ts'

export interface ResultCommits {
  /** Resolves once the result is committed. Errors: `LostLease`; those of the store. */
  add(result: LineResult): Promise<void>
}

export function createLineCommits(
  { context, handOver, slots }: Pick<Engine, 'context' | 'handOver' | 'slots'>,
  { id, fence }: { id: string; fence: number },
): ResultCommits {
  const commits = createCommits({ context, id, kind: 'batch', fence, handOver, slots })
  return {
    async add(result) {
      await commits.add({ position: result.number, data: packResult(result), outgoing: result.outgoing })
      context.metrics.batchLine(result.isFailed ? 'failed' : 'completed')
    },
  }
}
