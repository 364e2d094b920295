/** JSON log lines, one a line on stdout: buffered, bounded, and written out when the process ends. */
import pino, { type Logger } from 'pino'

/** Lines wait at most this long in the buffer. */
const flushMs = 500
const bufferBytes = 16_000
/** When stdout does not take them, lines beyond this are dropped. */
const maxBufferBytes = 16 * 1_048_576

export interface LogOutput {
  log: Logger
  /** The line of a request: plain members, which need none of the logger's serializers and cost a third this way. */
  logRequest(record: object): void
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
  let lines = ''
  const passOn = () => {
    if (lines !== '') destination.write(lines)
    lines = ''
  }
  const timer = setInterval(() => {
    passOn()
    destination.flush()
  }, flushMs)
  timer.unref()
  return {
    log,
    logRequest(record) {
      if (!log.isLevelEnabled('info')) return
      // Without a copy of the record: its members follow those that every line begins with.
      lines += `{"level":"info","time":"${new Date().toISOString()}",${JSON.stringify(record).slice(1)}\n`
      if (lines.length > bufferBytes) passOn()
    },
    flush() {
      clearInterval(timer)
      passOn()
      destination.flushSync()
    },
  }
}
