/**
 * Commits results of lines in groups: results that arrive during a commit, or the pause before it, join the next one.
 */
import type { ServiceContext } from '@gateway/contract'
import type { HandOver } from './hand-over.ts'
import type { LineResult } from './run-line.ts'
import type { Slots } from './slots.ts'
import { packResult } from './tally.ts'

export interface ResultCommits {
  /** Resolves once the result is committed. Errors: {@link LostLease}; those of the store. */
  add(result: LineResult): Promise<void>
}

/** Another process has the lease of the batch now, so this one must not change it. */
export class LostLease extends Error {}

const mostAtOnce = 200
/** While the store is unavailable, results are queued. */
const tryAgainMs = 500

export interface CommitOptions {
  context: Pick<ServiceContext, 'ports' | 'log' | 'metrics'>
  id: string
  fence: number
  handOver: HandOver
  slots: Pick<Slots, 'beforeCommit'>
}

interface Waiting {
  result: LineResult
  resolve(): void
  reject(error: unknown): void
}

export function createCommits({ context, id, fence, handOver, slots }: CommitOptions): ResultCommits {
  const { work } = context.ports
  let waiting: Waiting[] = []
  let isRunning = false

  async function commit(group: readonly Waiting[]): Promise<void> {
    const results = group.map(({ result }) => ({
      position: result.number,
      data: packResult(result),
      outgoing: result.outgoing,
    }))
    for (let tries = 1; ; tries += 1) {
      try {
        if (!(await work.commit(id, fence, results))) throw new LostLease('The lease of the batch was taken.')
        for (const { result } of group) context.metrics.batchLine(result.isFailed ? 'failed' : 'completed')
        handOver.nudge()
        return
      } catch (error) {
        if (error instanceof LostLease || tries >= 100) throw error
        if (tries === 1) context.log.warn({ batch: id }, 'batch results are waiting for the store')
        await new Promise((resolve) => setTimeout(resolve, tryAgainMs))
      }
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      await slots.beforeCommit()
      const group = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      await commit(group).then(
        () => {
          for (const { resolve } of group) resolve()
        },
        (error: unknown) => {
          for (const { reject } of group) reject(error)
        },
      )
    }
    isRunning = false
  }

  return {
    add(result) {
      return new Promise((resolve, reject) => {
        waiting.push({ result, resolve, reject })
        if (!isRunning) void run()
      })
    },
  }
}
