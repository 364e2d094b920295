/** The port of shared state over its rows. Messages are looked for while somebody listens, four times a second. */
import type { SharedState } from '@gateway/contract'
import type { SharedRows } from './shared-rows.ts'

const pollIntervalMs = 250

type Listener = (message: string) => void

export interface SqlSharedState extends SharedState {
  /** Stops looking for messages. */
  stop(): void
}

/** @param report hears of messages that could not be looked for */
export function createSharedState(rows: SharedRows, report: (error: unknown) => void): SqlSharedState {
  const topics = new Map<string, Set<Listener>>()
  /** Behind the last message that was read; null until somebody listens. */
  let place: number | null = null
  let beginning: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | null = null

  async function begin(): Promise<void> {
    place = await rows.end()
    timer = setInterval(() => void poll().catch(report), pollIntervalMs).unref()
  }

  async function read(): Promise<void> {
    if (place === null) return
    const found = await rows.readBehind(place)
    place = found.place
    for (const { topic, message } of found.messages) {
      // In a microtask: a listener's fault is its own.
      for (const listener of topics.get(topic) ?? []) queueMicrotask(() => listener(message))
    }
  }

  function poll(): Promise<void> {
    polling ??= read().finally(() => {
      polling = null
    })
    return polling
  }

  return {
    increment: (key, ttlMs) => rows.increment(key, ttlMs),
    acquire: (key, ttlMs) => rows.acquire(key, ttlMs),
    delete: (key) => rows.delete(key),
    async publish(topic, message) {
      await rows.publish(topic, message)
      // Who listens in this process hears at once; if that fails, the next look finds it.
      if (place !== null) await poll().catch(report)
    },
    async subscribe(topic, listener) {
      beginning ??= begin().catch((error: unknown) => {
        beginning = null
        throw error
      })
      await beginning
      topics.set(topic, (topics.get(topic) ?? new Set()).add(listener))
    },
    stop: () => clearInterval(timer),
  }
}
