/**
 * Opens a session in the newest version that an upstream supports. The version is probed once and cached: after an
 * update of the upstream, the new version is used after the next sync, or within an hour.
 */
import type { ServiceContext } from '@gateway/contract'
import { openHttpSession } from './http-session.ts'
import type { CallIo, Session } from './session.ts'
import { openSseSession } from './sse-session.ts'
import { openStatelessSession } from './stateless-session.ts'
import type { UpstreamTarget } from './target.ts'

const knownMs = 3_600_000
const maxKnown = 10_000

interface OpenOptions {
  /** Whether to probe the upstream's versions again. */
  asksAnew?: boolean
}

export type OpenSession = (target: UpstreamTarget, io: CallIo, options?: OpenOptions) => Promise<Session>

export function createOpener(context: ServiceContext<'log' | 'now' | 'send'>): OpenSession {
  /** Upstreams that support only older versions, with the time at which the entry expires. */
  const older = new Map<string, number>()

  return async (target, io, { asksAnew = false } = {}) => {
    const { id, data } = target.integration
    if (data.transport === 'sse') return openSseSession(context, target, io)
    const key = `${id} ${data.url}`
    if (asksAnew || (older.get(key) ?? 0) < context.now()) {
      const session = await openStatelessSession(context, target, io)
      if (session !== null) {
        older.delete(key)
        return session
      }
      if (older.size >= maxKnown) older.clear()
      older.set(key, context.now() + knownMs)
    }
    return openHttpSession(context, target, io)
  }
}
