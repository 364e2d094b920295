/**
 * The breakers of this process, by target and settings, bounded in number; failures and state changes are shared with
 * other processes through shared state. Without it, each process counts by itself.
 */
import { EventEmitter } from 'node:events'
import type { SharedState } from '@gateway/contract'
import type { BreakerSettings, Breakers, CircuitState, TargetSubject } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import { openSharedNews, type SharedNews } from '../shared-news.ts'
import { Breaker, type CircuitChange } from './breaker.ts'
import { type BreakerMessage, type Message, readMessage } from './breaker-messages.ts'
import { joinSubjects } from './breaker-subject.ts'

export interface BreakersOptions {
  shared: SharedState
  /** Maximum number of breakers; the least recently used are dropped with their counts. Default 1000. */
  maxBreakers?: number
  /**
   * Time to wait at startup for other processes to report open circuits, in milliseconds. Default 0: there are no other
   * processes.
   */
  learnMs?: number
  /** Called when an event could not be published; this process continues with its own state. */
  reportFault?: (error: unknown) => void
  /** Called once, in one of the processes, when a circuit has opened or closed. */
  changed?: (subject: TargetSubject, event: 'opened' | 'closed') => void
}

export interface BreakerRegistry extends Breakers {
  get(key: string, settings: BreakerSettings): Breaker
  /** Whether the open circuits of the other processes are known. */
  hasLearned(): boolean
  /** The breakers used by the workspace, in any process; null: by any workspace of the organisation. */
  usedBy(organisationId: string, workspaceId: string | null): Breaker[]
  /** The number of breakers by state. */
  states(): Record<CircuitState, number>
  /** Shuts all down. */
  close(): void
}

const topic = 'breakers'
/** Longer than messages take between busy processes, shorter than the shortest cooldown, which is 30 s. */
const toldMs = 25_000

/**
 * Opens breakers that are shared through `shared`. Also resolves when shared state does not answer, and then keeps
 * trying to subscribe.
 */
export async function createBreakers(options: BreakersOptions): Promise<BreakerRegistry> {
  const { shared, maxBreakers = 1000, learnMs = 0, reportFault, changed } = options
  const rotateBucketController = new EventEmitter().setMaxListeners(0)
  const breakers = new LRUCache<string, Breaker>({
    max: maxBreakers,
    dispose: (breaker) => breaker.shutdown(),
  })
  let news: SharedNews | null = null

  function find(id: string, settings: BreakerSettings): Breaker {
    const known = breakers.get(id)
    if (known !== undefined) return known
    const breaker: Breaker = new Breaker({
      id,
      targetKey: keyIn(id),
      settings,
      shared,
      rotateBucketController,
      announce: (event) => news?.send(event, { id, settings, subject: breaker.subject ?? undefined }),
      changed: (change) => void tell(breaker, change),
    })
    breakers.set(id, breaker)
    return breaker
  }

  /**
   * Failures that several processes see at the same time may open it in each of them before they are notified; the
   * first one publishes. A probe belongs to one process.
   */
  async function tell({ id, subject }: Breaker, change: CircuitChange): Promise<void> {
    if (subject === null || changed === undefined) return
    const isCounted = change === 'opened' || change === 'opened_by_news'
    const isMine = isCounted
      ? await shared.acquire(`breaker:told:${id}`, toldMs).catch(() => change === 'opened')
      : true
    if (isMine) changed(subject, change === 'closed' ? 'closed' : 'opened')
  }

  function known() {
    const open = [...breakers.values()].filter(({ state }) => state !== 'closed')
    return {
      open: open.map(({ id, settings, subject }) => ({ id, settings, subject: subject ?? undefined })),
    }
  }

  function takeOver(message: Message): void {
    if (message.event !== 'known') return
    for (const { id, settings, subject } of message.open) {
      const breaker = find(id, settings)
      if (subject !== undefined) breaker.subject = joinSubjects(breaker.subject, subject)
      if (breaker.state === 'closed') breaker.hear('opened')
    }
  }

  function hear(message: Message): void {
    if (message.event !== 'asked' && message.event !== 'known') hearEvent(message)
  }

  function hearEvent({ event, id, settings, subject }: BreakerMessage): void {
    // A target that this process has not called yet: failures in other processes already count.
    const isNews = event === 'failed' || event === 'opened'
    const breaker = isNews ? find(id, settings) : breakers.peek(id)
    if (breaker === undefined) return
    if (subject !== undefined) breaker.subject = joinSubjects(breaker.subject, subject)
    breaker.hear(event)
  }

  const opened = await openSharedNews({
    ...{ shared, topic, learnMs, read: readMessage, hear, known, takeOver, reportFault },
  })
  news = opened
  return {
    get: (key, settings) => find(identify(key, settings), settings),
    hasLearned: opened.hasLearned,
    usedBy: (organisationId, workspaceId) =>
      [...breakers.values()].filter(({ subject }) =>
        workspaceId === null
          ? subject?.organisationId === organisationId
          : subject?.workspaceIds.includes(workspaceId) === true,
      ),
    states() {
      const counts = { closed: 0, open: 0, half_open: 0 }
      for (const breaker of breakers.values()) counts[breaker.state] += 1
      return counts
    },
    close() {
      opened.close()
      breakers.clear()
    },
  }
}

/**
 * Identical in every process. The settings come first: they contain no slash, so different pairs yield different
 * texts.
 */
function identify(key: string, settings: BreakerSettings): string {
  const { failure_threshold, cooldown_interval, failure_status_codes } = settings
  return `${failure_threshold}/${cooldown_interval}/${failure_status_codes?.join() ?? ''}/${key}`
}

/** The key of the target in such an id. */
const keyIn = (id: string): string => id.split('/').slice(3).join('/')
