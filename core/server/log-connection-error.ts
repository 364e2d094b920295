/** Logs errors that reach Koa: client disconnects at debug level, all others as internal errors. */
import type { Logger } from 'pino'

/** https://nodejs.org/api/errors.html#common-system-errors, and the codes of Node's streams. */
const leavingCodes: ReadonlySet<unknown> = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
])

export function logConnectionError(log: Pick<Logger, 'debug' | 'error'>, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (leavingCodes.has(code)) log.debug({ code }, 'client disconnected')
  else log.error({ err: error }, 'internal error')
}
