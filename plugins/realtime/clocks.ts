/** The timeouts of a session. Errors: 408 `stream_idle_timeout`, `stream_total_timeout`. */
import { GatewayError } from '@gateway/contract'
import type { SessionHost } from '@gateway/contract/dialect'

export interface SessionClocks {
  /** Called when either side has sent a message. */
  touched(): void
  stop(): void
}

export function startClocks(
  { idleMs, totalMs }: Pick<SessionHost, 'idleMs' | 'totalMs'>,
  fail: (error: GatewayError) => void,
): SessionClocks {
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
