/** JSON log lines, one a line on stdout: buffered, bounded, and written out when the process ends. */
import pino, { type Logger } from 'pino'

/** Lines wait at most this long in the buffer. */
const flushMs = 500
const bufferBytes = 16_000
/** When stdout does not take them, lines beyond this are dropped. */
const maxBufferBytes = 16 * 1_048_576

export interface LogOutput {
  log: Logger
  /** Writes what is buffered. */
  flush(): void
}

export function createLog(level: string): LogOutput {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: bufferBytes,
    maxLength: maxBufferBytes,
  })
  const timer = setInterval(() => destination.flush(), flushMs)
  timer.unref()
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  )
  return {
    log,
    flush() {
      clearInterval(timer)
      destination.flushSync()
    },
  }
}
