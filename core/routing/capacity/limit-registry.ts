/**
 * The rate limits of targets as known to this process, bounded in number, and shared with other processes
 * through shared state as the health of targets is.
 */
import type { SharedState } from '@gateway/contract'
import type { Capacity, LimitAnswer, TargetSubject } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import { joinSubjects } from '../breaker/breaker-subject.ts'
import { openSharedNews, type SharedNews } from '../shared-news.ts'
import { readLimits } from './limit-headers.ts'
import { type LimitMessage, readLimitMessage, type SharedLimits } from './limit-messages.ts'
import { TargetLimits } from './target-limits.ts'
import { createWaitQueue } from './wait-queue.ts'

export interface LimitRegistryOptions {
  shared: SharedState
  /** Maximum number of targets; the least recently used are forgotten. Default 1000. */
  maxTargets?: number
  /** Maximum number of waiting requests. */
  maxWaiting?: () => number
  /**
   * Time to wait at startup for other processes to report limits, in milliseconds. Default 0: there are no other
   * processes.
   */
  learnMs?: number
  /** Called when limits could not be published; this process continues with its own knowledge. */
  reportFault?: (error: unknown) => void
}

export interface LimitRegistry extends Capacity {
  /** The targets used by the workspace, in any process; null: by any workspace of the organisation. */
  usedBy(organisationId: string, workspaceId: string | null): TargetLimits[]
  close(): void
}

const topic = 'limits'
/** The minimum interval between messages to other processes about a target, unless a limit is used up. */
const tellEveryMs = 250
const defaultMaxWaiting = 1000

/** Also resolves when shared state does not answer, and then keeps trying to subscribe. */
export async function createLimitRegistry(options: LimitRegistryOptions): Promise<LimitRegistry> {
  const { shared, maxTargets = 1000, learnMs = 0, reportFault } = options
  const targets = new LRUCache<string, TargetLimits>({ max: maxTargets })
  const queue = createWaitQueue({ maxWaiting: options.maxWaiting ?? (() => defaultMaxWaiting) })
  let news: SharedNews | null = null
  /** Targets whose changed limits are not published yet. */
  const untold = new Set<TargetLimits>()
  let telling: NodeJS.Timeout | undefined

  function find(key: string): TargetLimits {
    const known = targets.get(key)
    if (known !== undefined) return known
    const target = new TargetLimits(key)
    targets.set(key, target)
    registry.isKnown = true
    return target
  }

  function tell(): void {
    clearTimeout(telling)
    telling = undefined
    const limits = [...untold].map(describe)
    untold.clear()
    if (limits.length > 0) news?.send('read', { limits })
  }

  function tellSoon(target: TargetLimits, isUsedUp: boolean): void {
    untold.add(target)
    if (isUsedUp) tell()
    else telling ??= setTimeout(tell, tellEveryMs).unref()
  }

  function takeOver(limits: readonly SharedLimits[]): void {
    const nowMs = Date.now()
    for (const { key, subject, windows, refusedForMs } of limits) {
      const target = find(key)
      if (subject !== undefined) target.subject = joinSubjects(target.subject, subject)
      const readings = windows.map(({ resetInMs, ...window }) => ({ ...window, resetAt: nowMs + resetInMs }))
      target.hear(readings, refusedForMs === null ? null : nowMs + refusedForMs, nowMs)
    }
    queue.serve()
  }

  const hear = (message: LimitMessage): void => {
    if (message.event !== 'asked') takeOver(message.limits)
  }
  const known = () => ({ limits: [...targets.values()].map(describe) })

  function learn(key: string, answer: LimitAnswer, subject: TargetSubject): void {
    const reading = readLimits(answer.headers, answer.status, answer.nowMs)
    const known = targets.get(key)
    if (known === undefined && reading.windows.length === 0 && reading.retryAt === null) return
    const target = known ?? find(key)
    target.subject = joinSubjects(target.subject, subject)
    const isUsedUp = target.learn(reading, answer)
    tellSoon(target, isUsedUp)
    queue.serve()
  }

  const registry = {
    // A data member instead of a getter, because every request reads it.
    isKnown: false as boolean,
    of: (key: string) => targets.get(key) ?? null,
    learn,
    queue,
    usedBy: (organisationId: string, workspaceId: string | null) =>
      [...targets.values()].filter(({ subject }) =>
        workspaceId === null
          ? subject?.organisationId === organisationId
          : subject?.workspaceIds.includes(workspaceId) === true,
      ),
    close() {
      clearTimeout(telling)
      news?.close()
      queue.stop()
      targets.clear()
    },
  } satisfies LimitRegistry
  news = await openSharedNews({
    ...{ shared, topic, learnMs, read: readLimitMessage, hear, takeOver: hear, known, reportFault },
  })
  return registry
}

function describe(target: TargetLimits): SharedLimits {
  const nowMs = Date.now()
  const refusedUntil = target.refusedUntil(nowMs)
  return {
    key: target.key,
    subject: target.subject ?? undefined,
    windows: target.windows(nowMs).map(({ name, measure, limit, remaining, resetAt }) => ({
      ...{ name, measure, limit, remaining },
      resetInMs: resetAt - nowMs,
    })),
    refusedForMs: refusedUntil === null ? null : refusedUntil - nowMs,
  }
}
