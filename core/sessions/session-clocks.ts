/** The timeouts of a session. Errors: 408 `stream_idle_timeout`, `stream_total_timeout`. */
import { GatewayError } from '@gateway/contract'
import type { Resolved } from '../flow/index.ts'

/** Used when the session's config sets no limit. */
const longestSessionMs = 3_600_000

export interface SessionClocks {
  /** One of the sides sent something. */
  touched(): void
  stop(): void
}

export function startClocks(exchange: Resolved, fail: (error: GatewayError) => void): SessionClocks {
  const { idleMs, totalMs } = limitsOf(exchange)
  const timeout = (code: 'stream_idle_timeout' | 'stream_total_timeout', message: string) => () =>
    fail(new GatewayError(code, message))
  const idle = setTimeout(timeout('stream_idle_timeout', 'Neither side sent anything for too long.'), idleMs)
  const total = setTimeout(
    timeout('stream_total_timeout', 'The session exceeded its time limit.'),
    Math.max(0, totalMs),
  )
  return {
    touched: () => void idle.refresh(),
    stop() {
      clearTimeout(idle)
      clearTimeout(total)
    },
  }
}

function limitsOf({ options, node, workspace, streamTotalMs, startedAt }: Resolved) {
  const own = options.streamIdleTimeoutMs ?? node?.streamClocks?.idleMs
  const spentMs = performance.now() - startedAt
  return {
    idleMs: own ?? workspace.streamIdleTimeoutMs,
    totalMs: (streamTotalMs ?? longestSessionMs) - spentMs,
  }
}
