/**
 * Commits results in groups: results that arrive during a commit, or the pause before it, join the next one.
 */
import type { Outgoing, ServiceContext, WorkResult } from '@gateway/contract'
import type { HandOver } from './hand-over.ts'
import type { Slots } from './slots.ts'

/** A result and its obligations. */
export interface Committed extends WorkResult {
  outgoing: readonly Outgoing[]
}

export interface Commits {
  /** Resolves once the result is committed. Errors: {@link LostLease}; those of the store. */
  add(result: Committed): Promise<void>
}

/** Another process has the lease of the work now, so this one must not change it. */
export class LostLease extends Error {}

const mostAtOnce = 200
/** While the store is unavailable, results are queued. */
const tryAgainMs = 500

export interface CommitOptions {
  context: ServiceContext<'log' | 'work'>
  id: string
  /** The kind of work, for messages: `batch`. */
  kind: string
  fence: number
  handOver: Pick<HandOver, 'nudge'>
  slots: Pick<Slots, 'beforeCommit'>
}

interface Waiting {
  result: Committed
  resolve(): void
  reject(error: unknown): void
}

export function createCommits({ context, id, kind, fence, handOver, slots }: CommitOptions): Commits {
  const { work } = context
  let waiting: Waiting[] = []
  let isRunning = false

  async function commit(group: readonly Waiting[]): Promise<void> {
    const results = group.map(({ result }) => result)
    for (let tries = 1; ; tries += 1) {
      try {
        if (!(await work.commit(id, fence, results)))
          throw new LostLease(`The lease of the ${kind} was taken.`)
        handOver.nudge()
        return
      } catch (error) {
        if (error instanceof LostLease || tries >= 100) throw error
        if (tries === 1) context.log.warn({ [kind]: id }, `${kind} results are waiting for the store`)
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
