/**
 * Log lines on stdout: one JSON object per line, or readable text if stdout is a terminal. They are buffered, bounded,
 * and written out when the process ends.
 */

import type { RequestLine } from '@gateway/flow'
import pino, { type Logger } from 'pino'

/** The maximum time that a line waits in the buffer. */
const flushMs = 500
const bufferBytes = 16_000
/** Lines beyond this size are dropped while stdout is blocked. */
const maxBufferBytes = 16 * 1_048_576
/** How long a stopping process waits for the reader of its stdout. */
const lastWriteMs = 500
/** The minimum time between two reports of failed writes on stderr. */
const reportAgainMs = 10_000

export interface LogOutput {
  log: Logger
  /** Writes the line of a request. Its plain members need no serializers, which reduces the cost to a third. */
  logRequest(line: RequestLine): void
  /** Writes buffered lines soon, instead of at the next interval. */
  flush(): void
  /** Writes buffered lines, if stdout accepts them within half a second. */
  close(): Promise<void>
  /** Drops buffered lines, so the process can end immediately. */
  discard(): void
}

/** The members that determine how a request's line is shown on a terminal. */
interface ShownLine {
  method?: string
  path?: string
  status?: number
  duration_ms?: number
}

interface Destination {
  write(lines: string): void
  flush(): void
  /** Writes all lines, including those that were added during an earlier write, then calls back. */
  end(onDone: () => void): void
  /** Drops lines that are not written yet. */
  destroy(): void
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
  const flush = () => {
    passOn()
    destination.flush()
  }
  const timer = setInterval(flush, flushMs)
  timer.unref()
  return {
    log,
    logRequest(line) {
      if (!log.isLevelEnabled(line.level)) return
      lines += JSON.stringify(line)
      lines += '\n'
      if (lines.length > holdBytes) passOn()
    },
    flush,
    async close() {
      clearInterval(timer)
      passOn()
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, lastWriteMs)
        destination.end(() => {
          clearTimeout(late)
          resolve()
        })
      })
      destination.destroy()
    },
    discard() {
      clearInterval(timer)
      destination.destroy()
    },
  }
}

/**
 * A pipe is full while its reader does not read: such writes are repeated until the log is closed. Other failed writes,
 * such as to a full disk, lose their lines and are reported on stderr.
 */
function jsonDestination(): Destination {
  let isClosed = false
  let reportedAt = Number.NEGATIVE_INFINITY
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: bufferBytes,
    maxLength: maxBufferBytes,
    retryEAGAIN: () => !isClosed,
  })
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const now = performance.now()
    if (isClosed || error.code === 'EPIPE' || now - reportedAt < reportAgainMs) return
    reportedAt = now
    process.stderr.write(`Log lines are lost: stdout cannot be written (${error.code ?? error.message}).\n`)
  })
  return {
    write: (lines) => void stream.write(lines),
    flush: () => stream.flush(),
    // `flush` is not used, because it calls back as soon as an earlier write ends, before lines that were added since
    // are written.
    end(onDone) {
      stream.once('close', onDone)
      stream.once('error', onDone)
      stream.end()
    },
    destroy() {
      isClosed = true
      stream.destroy()
    },
  }
}

/** Loaded only for terminals, because it depends on a dozen packages. */
async function prettyDestination(): Promise<Destination> {
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({
    colorize: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    messageFormat: (record: ShownLine & { msg?: string }) => record.msg ?? requestText(record),
    ignore: inRequestText.join(','),
  })
  return {
    write(lines) {
      for (const line of lines.split('\n')) if (line !== '') process.stdout.write(pretty(line) ?? '')
    },
    flush: () => undefined,
    end: (onDone) => onDone(),
    destroy: () => undefined,
  }
}

/** Members already in the text of a request's line, or not useful on a terminal. */
const inRequestText = [
  ...['method', 'path', 'status', 'duration_ms', 'first_byte_ms', 'trace_id', 'endpoint', 'target'],
  ...['workspace', 'cost_known', 'is_estimate', 'cached_units', 'cache'],
]

const requestText = ({ method, path, status, duration_ms }: ShownLine) =>
  `${method} ${path} ${status} ${Math.round(duration_ms ?? 0)} ms`
