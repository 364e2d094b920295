/**
 * Server-sent events as the answer of a service route.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type { Json } from './json.ts'
import type { ServiceAnswer } from './service.ts'

export interface ServerSentEvent {
  /** The event's name. Default: `message`, as clients assume. */
  event?: string
  id?: string
  data: Json
}

export interface EventStreamOptions {
  /** Ends the stream: the request's signal, combined with `ServiceContext.stopping` for endless sources. */
  signal: AbortSignal
  /** Idle time after which a comment is sent to keep the connection open in proxies. Default 15000. */
  commentMs?: number
}

const defaultCommentMs = 15_000
const comment = Buffer.from(':\n\n')

/**
 * Sends headers and a comment at once, then each event as it comes. The source should stop on the same signal: a
 * generator waiting for something else keeps waiting.
 */
export function eventStream(
  events: AsyncIterable<ServerSentEvent>,
  { signal, commentMs = defaultCommentMs }: EventStreamOptions,
): ServiceAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    body: { stream: writeEvents(events, signal, commentMs) },
  }
}

async function* writeEvents(
  events: AsyncIterable<ServerSentEvent>,
  signal: AbortSignal,
  commentMs: number,
): AsyncGenerator<Buffer> {
  const reader = events[Symbol.asyncIterator]()
  try {
    yield comment
    let next = reader.next()
    for (;;) {
      const step = await within(next, signal, commentMs)
      if (step === 'over') return
      if (step === 'silent') {
        yield comment
        continue
      }
      if (step.done === true) return
      yield writeEvent(step.value)
      next = reader.next()
    }
  } finally {
    // Not awaited: a suspended generator returns only when it is resumed.
    reader.return?.().catch(() => undefined)
  }
}

/** Resolves with the first event, timeout or abort. Only the promise outlives the wait. */
function within<T>(next: Promise<T>, signal: AbortSignal, ms: number): Promise<T | 'silent' | 'over'> {
  return new Promise((resolve, reject) => {
    const end = (outcome: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      outcome()
    }
    const onAbort = () => end(() => resolve('over'))
    const timer = setTimeout(() => end(() => resolve('silent')), ms)
    timer.unref()
    next.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    )
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

function writeEvent({ event, id, data }: ServerSentEvent): Buffer {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ]
  return Buffer.from(`${lines.join('\n')}\n\n`)
}
