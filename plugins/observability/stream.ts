/**
 * GET `/logs/stream`: server-sent events for new entries that match the filters of lists, without their bodies. Entries
 * of other processes arrive through the shared state. At most 100 per second are sent; further ones are only counted.
 */
import {
  faultReason,
  isObject,
  type LogEntry,
  type LogFilter,
  type LogSummary,
  type Route,
  type ServiceContext,
} from '@gateway/contract'
import { type Call, invalidQuery, type ManagementContext, plainRoute } from '@gateway/control-plane/engine'
import { matchesEntry } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { filterProperties } from './filters.ts'
import { listFilter, scopeQuery } from './logs.ts'
import { logSchema, presentLog } from './present.ts'
import { requireSight } from './sight.ts'

const topic = 'log-entries'
const mostPerSecond = 100
const commentMs = 15_000
/** The most events that wait for a slow reader; further ones are counted as skipped. */
const maxWaiting = 1000

/** Data of an event: a log entry, or, in events named `skipped`, the number of entries that were left out. */
const streamEvent = Type.Union([logSchema, Type.Object({ count: Type.Integer({ minimum: 1 }) })], {
  title: 'LogStreamEvent',
})

type Listener = (entry: LogSummary) => void

/** Entries of all processes, while there are subscribers. */
function createFeed({
  logs,
  shared,
  log,
}: ServiceContext<'log' | 'logs' | 'shared'>): (listener: Listener) => () => void {
  const listeners = new Set<Listener>()
  const own = crypto.randomUUID()
  /** The time until which other processes request entries. */
  let wantedUntil = 0
  const report = (error: unknown) =>
    log.warn({ reason: faultReason(error) }, 'log streams do not receive entries of other processes')
  const publish = (message: object) =>
    void shared.publish(topic, JSON.stringify({ from: own, ...message })).catch(report)

  function receive(text: string): void {
    const message: unknown = JSON.parse(text)
    if (!isObject(message) || message.from === own) return
    if (message.wanted === true) {
      wantedUntil = Date.now() + 2 * commentMs
      listen()
    }
    // Published by this code in another process.
    const { entry } = message as { entry?: LogSummary }
    if (entry !== undefined) for (const listener of listeners) listener(entry)
  }

  void shared.subscribe(topic, receive).catch(report)
  /** Null while there are no subscribers to this process's entries. */
  let leave: (() => void) | null = null
  function listen(): void {
    leave ??= logs.listen((entry) => {
      for (const listener of listeners) listener(entry)
      if (Date.now() < wantedUntil) publish({ entry: summaryOf(entry) })
      else if (listeners.size === 0) {
        leave?.()
        leave = null
      }
    })
  }
  /** Asks the other processes again while there are subscribers. */
  let asking: NodeJS.Timeout | null = null
  const ask = () => publish({ wanted: true })

  return (listener) => {
    listeners.add(listener)
    listen()
    ask()
    asking ??= setInterval(ask, commentMs).unref()
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || asking === null) return
      clearInterval(asking)
      asking = null
    }
  }
}

const summaryOf = ({ details: _, bodies: __, ...summary }: LogEntry): LogSummary => summary

export function streamRoute(context: ManagementContext<'logs' | 'shared' | 'stopping'>): Route {
  const feed = createFeed(context)
  return plainRoute(context, {
    method: 'GET',
    path: '/v1/logs/stream',
    operationId: 'logStream',
    summary: 'Streams new log entries as server-sent events',
    tag: 'Logs',
    scope: 'logs.list',
    checksScope: true,
    authorise: (call) => requireSight(call, 'logs.list'),
    query: Type.Object({ ...scopeQuery, ...filterProperties }),
    media: { answer: ['text/event-stream'] },
    event: streamEvent,
    audit: { action: 'list', resource_type: 'log' },
    async handle(call) {
      const filter = await streamFilter(call)
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
        body: { stream: stream(context, feed, filter) },
      }
    },
  })
}

/** A new entry has no feedback yet, and a summary has no bodies to search. */
async function streamFilter(call: Call<'logs'>): Promise<LogFilter> {
  for (const name of ['search', 'weighted_feedback_min', 'weighted_feedback_max'])
    if (call.query[name] !== undefined) throw invalidQuery(name, 'is not supported for streams')
  const { from: _, to: __, ...filter } = await listFilter(call)
  return filter
}

async function* stream(
  context: ServiceContext<'stopping'>,
  feed: (listener: Listener) => () => void,
  filter: LogFilter,
): AsyncGenerator<Uint8Array, void, undefined> {
  let waiting: LogSummary[] = []
  let skipped = 0
  let second = 0
  let inSecond = 0
  let wake: () => void = () => undefined
  const end = feed((entry) => {
    if (!matchesEntry({ ...entry, details: {}, bodies: null }, filter)) return
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      inSecond = 0
    }
    inSecond += 1
    if (inSecond > mostPerSecond || waiting.length >= maxWaiting) skipped += 1
    else waiting.push(entry)
    wake()
  })
  const stop = () => wake()
  context.stopping.addEventListener('abort', stop, { once: true })
  try {
    // The first bytes show that the stream is open.
    yield Buffer.from(': open\n\n')
    while (!context.stopping.aborted) {
      if (waiting.length === 0 && skipped === 0) {
        const isComment = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), commentMs)
          wake = () => {
            clearTimeout(timer)
            resolve(false)
          }
        })
        if (isComment) yield Buffer.from(': still here\n\n')
        continue
      }
      const entries = waiting
      waiting = []
      if (entries.length > 0) yield Buffer.from(entries.map(entryEvent).join(''))
      // At most one count per second, so that a flood of entries does not cause a flood of counts.
      if (skipped > 0 && Math.floor(Date.now() / 1000) !== second) {
        const count = skipped
        skipped = 0
        yield Buffer.from(`event: skipped\ndata: ${JSON.stringify({ count })}\n\n`)
      } else if (skipped > 0 && waiting.length === 0) {
        await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)))
      }
    }
  } finally {
    end()
    context.stopping.removeEventListener('abort', stop)
  }
}

const entryEvent = (entry: LogSummary): string =>
  `event: entry\nid: ${entry.id}\ndata: ${JSON.stringify(presentLog(entry))}\n\n`
