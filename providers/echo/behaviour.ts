/** The behaviour of an echo: latency, pace and faults, set by the body's `echo` object. */
import {
  GatewayError,
  isObject,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
  type ProcedureEndpoint,
  UpstreamFault,
} from '@gateway/contract'

export interface Behaviour {
  /** Milliseconds before the answer begins. Default 0. */
  latency_ms: number
  /** Tokens per second of a streamed answer; 0 (the default) is as fast as the client reads. */
  tokens_per_second: number
  /** Status of the answer; 400 and above are errors. Default 200. */
  status: number
  /** Seconds, sent as `retry-after` with an error. */
  retry_after: number | null
  /** Tokens after which a streamed answer breaks off with an error. */
  fail_after_tokens: number | null
  /** Returned instead of the user's last text. */
  reply: string | null
}

const longestLatencyMs = 600_000

/** Applies a behaviour around an endpoint. Errors: `invalid_body` at `/echo/…`. */
export function withBehaviour(run: ProcedureEndpoint['run']): ProcedureEndpoint['run'] {
  return async (body, context) => {
    const behaviour = readBehaviour(body)
    await pause(behaviour.latency_ms, context.signal)
    if (behaviour.status >= 400) return failure(behaviour)
    const answer = await run(body, context)
    if (answer.stream === null) return { ...answer, status: behaviour.status }
    return { ...answer, status: behaviour.status, stream: paced(answer.stream, behaviour, context) }
  }
}

export function readBehaviour(body: JsonObject): Behaviour {
  // Text completions have a boolean parameter of the same name.
  const given = typeof body.echo === 'boolean' ? {} : (body.echo ?? {})
  if (!isObject(given)) throw invalid('/echo', 'must be an object')
  const number = (
    name: keyof Behaviour,
    { fallback, minimum, maximum }: { fallback: number; minimum: number; maximum: number },
  ): number => {
    const value = given[name] ?? fallback
    if (typeof value === 'number' && value >= minimum && value <= maximum) return value
    throw invalid(`/echo/${name}`, `must be a number from ${minimum} to ${maximum}`)
  }
  return {
    latency_ms: number('latency_ms', { fallback: 0, minimum: 0, maximum: longestLatencyMs }),
    tokens_per_second: number('tokens_per_second', { fallback: 0, minimum: 0, maximum: 1_000_000 }),
    status: number('status', { fallback: 200, minimum: 200, maximum: 599 }),
    retry_after:
      given.retry_after === undefined
        ? null
        : number('retry_after', { fallback: 0, minimum: 0, maximum: 86_400 }),
    fail_after_tokens:
      given.fail_after_tokens === undefined
        ? null
        : number('fail_after_tokens', { fallback: 0, minimum: 0, maximum: 1_000_000 }),
    reply: typeof given.reply === 'string' ? given.reply : null,
  }
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_body', `${param}: ${message}`, { param })
}

function failure({ status, retry_after: retryAfter }: Behaviour): ProcedureAnswer {
  const error = { ...faultOf(status) }
  const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) }
  return { status, headers, body: { error, provider: 'echo' }, stream: null }
}

const faultOf = (status: number) => ({
  message: `The echo provider fails with ${status}, as the request asks.`,
  type: 'echo_error',
  param: null,
  code: 'echo_error',
})

async function* paced(
  chunks: AsyncIterable<JsonObject>,
  behaviour: Behaviour,
  { signal }: ProcedureContext,
): AsyncGenerator<JsonObject, void, undefined> {
  const waitMs = behaviour.tokens_per_second === 0 ? 0 : 1000 / behaviour.tokens_per_second
  let count = 0
  for await (const chunk of chunks) {
    if (behaviour.fail_after_tokens !== null && count > behaviour.fail_after_tokens) {
      throw new UpstreamFault({ status: 502, ...faultOf(502) })
    }
    yield chunk
    count += 1
    await pause(waitMs, signal)
    signal.throwIfAborted()
  }
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, waitMs)
    signal.addEventListener('abort', done, { once: true })
  })
}
