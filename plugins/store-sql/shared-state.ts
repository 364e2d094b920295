/** The port for shared state. Messages are polled four times a second while there are subscribers. */
import type { SharedState } from '@gateway/contract'
import type { SharedRows } from './shared-rows.ts'

const pollIntervalMs = 250

type Listener = (message: string) => void

export interface SqlSharedState extends SharedState {
  /** Stops polling for messages. */
  stop(): void
}

/** @param report called when polling fails */
export function createSharedState(rows: SharedRows, report: (error: unknown) => void): SqlSharedState {
  const topics = new Map<string, Set<Listener>>()
  /** Position after the last message read; null without subscribers. */
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
      // In a microtask: a listener's error must not affect others.
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
      // Subscribers in this process are notified immediately; if that fails, the next poll finds the message.
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
