/**
 * Log lines on stdout, buffered, bounded, and written out when the process ends: one JSON object per line, or readable
 * text when stdout is a terminal.
 */
import pino, { type Logger } from 'pino'

/** Lines wait at most this long in the buffer. */
const flushMs = 500
const bufferBytes = 16_000
/** When stdout is blocked, lines beyond this size are dropped. */
const maxBufferBytes = 16 * 1_048_576

export interface LogOutput {
  log: Logger
  /** The line of a request: plain members, which need no serializers and cost a third as much. */
  logRequest(record: RequestLine): void
  /** Writes what is buffered. */
  flush(): void
}

/** Members of a request's line that decide how it is shown. */
interface RequestLine {
  method?: string
  path?: string
  status?: number
  duration_ms?: number
}

interface Destination {
  write(lines: string): void
  flush(): void
  flushSync(): void
}

export interface LogOptions {
  level: string
  format: 'json' | 'pretty'
}

export async function createLog({ level, format }: LogOptions): Promise<LogOutput> {
  const destination = format === 'json' ? jsonDestination() : await prettyDestination()
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
  // Readable output is not buffered.
  const holdBytes = format === 'json' ? bufferBytes : 0
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
      const level = (record.status ?? 0) >= 500 ? 'warn' : 'info'
      if (!log.isLevelEnabled(level)) return
      // Without copying the record: its members follow the common ones.
      lines += `{"level":"${level}","time":"${new Date().toISOString()}",${JSON.stringify(record).slice(1)}\n`
      if (lines.length > holdBytes) passOn()
    },
    flush() {
      clearInterval(timer)
      passOn()
      destination.flushSync()
    },
  }
}

const jsonDestination = (): Destination =>
  pino.destination({ dest: 1, sync: false, minLength: bufferBytes, maxLength: maxBufferBytes })

/** Loaded only for terminals, because it depends on a dozen packages. */
async function prettyDestination(): Promise<Destination> {
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({
    colorize: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    messageFormat: (record: RequestLine & { msg?: string }) => record.msg ?? requestText(record),
    ignore: inRequestText.join(','),
  })
  return {
    write(lines) {
      for (const line of lines.split('\n')) if (line !== '') process.stdout.write(pretty(line) ?? '')
    },
    flush: () => undefined,
    flushSync: () => undefined,
  }
}

/** Members already in the text of a request's line, or not useful on a terminal. */
const inRequestText = [
  ...['method', 'path', 'status', 'duration_ms', 'first_byte_ms', 'trace_id', 'endpoint', 'target'],
  ...['workspace', 'cost_known', 'is_estimate', 'cached_units', 'cache'],
]

const requestText = ({ method, path, status, duration_ms }: RequestLine) =>
  `${method} ${path} ${status} ${Math.round(duration_ms ?? 0)} ms`
