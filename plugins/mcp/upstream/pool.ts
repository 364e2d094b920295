/**
 * Sessions with upstreams, one for each integration, person and set of headers: never shared across people, reopened
 * when the upstream lost it, ended when idle.
 */
import { hash } from 'node:crypto'
import type { ServiceContext } from '@gateway/contract'
import type { CallIo, Session } from './session.ts'
import type { UpstreamTarget } from './target.ts'

export interface SessionPool {
  /** The session of this target; callers that come while it opens wait for it. */
  acquire(target: UpstreamTarget, io: CallIo): Promise<Session>
  /** Forgets a session that is lost, so that the next call opens another one. */
  drop(target: UpstreamTarget, session: Session): void
  close(): void
}

interface Entry {
  opening: Promise<Session>
  /** Once it is open. */
  session: Session | null
  usedAt: number
}

const maxSessions = 5000
const idleMs = 300_000
const sweepMs = 30_000
/** Whoever began to open it may leave: others wait for it. */
const openMs = 30_000

export function createSessionPool(
  context: Pick<ServiceContext, 'now'>,
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

/** Another version of the integration is another upstream; so are other headers, which may say who calls. */
const keys = new WeakMap<UpstreamTarget, string>()

function keyOf(target: UpstreamTarget): string {
  const known = keys.get(target)
  if (known !== undefined) return known
  const { integration, person, headers } = target
  const { url, transport } = integration.data
  // What the config file declares has no versions: its address is part of the key.
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
