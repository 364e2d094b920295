/**
 * Sessions with upstreams, one per integration, user and set of headers: never shared between users, reopened when the
 * upstream has lost it, closed when idle.
 */
import { hash } from 'node:crypto'
import type { ServiceContext } from '@gateway/contract'
import type { CallIo, Session } from './session.ts'
import type { UpstreamTarget } from './target.ts'

export interface SessionPool {
  /** The session of this target. Concurrent callers share one opening. */
  acquire(target: UpstreamTarget, io: CallIo): Promise<Session>
  /** Removes a lost session, so that the next call opens another one. */
  drop(target: UpstreamTarget, session: Session): void
  close(): void
}

interface Entry {
  opening: Promise<Session>
  /** Set once it is open. */
  session: Session | null
  usedAt: number
}

const maxSessions = 5000
const idleMs = 300_000
const sweepMs = 30_000
/** The opening has its own time limit: the caller that started it may disconnect while others wait for it. */
const openMs = 30_000

export function createSessionPool(
  context: ServiceContext<'now'>,
  open: (target: UpstreamTarget, io: CallIo) => Promise<Session>,
): SessionPool {
  const entries = new Map<string, Entry>()

  function end(key: string, entry: Entry): void {
    entries.delete(key)
    entry.opening.then(
      (session) => session.close(),
      () => undefined,
    )
  }

  const timer = setInterval(() => {
    const before = context.now() - idleMs
    for (const [key, entry] of entries) if (entry.usedAt < before) end(key, entry)
  }, sweepMs)
  timer.unref()

  return {
    async acquire(target, io) {
      const key = keyOf(target)
      const known = entries.get(key)
      if (known !== undefined) {
        known.usedAt = context.now()
        // Least recently used first.
        entries.delete(key)
        entries.set(key, known)
        return untilAborted(known.opening, io.signal)
      }
      const opening = open(target, { signal: AbortSignal.timeout(openMs), headers: target.callHeaders })
      const made: Entry = { opening, session: null, usedAt: context.now() }
      entries.set(key, made)
      const [oldest] = entries
      if (entries.size > maxSessions && oldest !== undefined) end(...oldest)
      opening.then(
        (session) => {
          made.session = session
        },
        () => {
          if (entries.get(key) === made) entries.delete(key)
        },
      )
      return untilAborted(opening, io.signal)
    },
    drop(target, session) {
      const key = keyOf(target)
      if (entries.get(key)?.session === session) entries.delete(key)
    },
    close() {
      clearInterval(timer)
      for (const [key, entry] of entries) end(key, entry)
    },
  }
}

/** A new version of the integration, or other headers (which may identify the caller), needs another session. */
const keys = new WeakMap<UpstreamTarget, string>()

function keyOf(target: UpstreamTarget): string {
  const known = keys.get(target)
  if (known !== undefined) return known
  const { integration, person, headers } = target
  const { url, transport } = integration.data
  // Objects of the config file have no version, so the address is part of the key.
  const parts = [integration.id, integration.version, url, transport, person, Object.entries(headers).sort()]
  const made = hash('sha256', JSON.stringify(parts), 'base64url')
  keys.set(target, made)
  return made
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
