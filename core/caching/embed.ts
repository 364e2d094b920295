/**
 * Embeds a text with the model that `cache.semantic` names. The embedding is an internal call through the pipeline
 * below a config: the host guard and the credential's limits apply, the caller's limits do not. It has its own log
 * entry, and concurrent equal texts share one call. Errors: those of the provider; 408 `request_timeout`;
 * `upstream_invalid_response` for an answer without a vector.
 */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import {
  type Answer,
  answered,
  authenticated,
  Canceller,
  changeInput,
  createExchange,
  createLedger,
  type Ended,
  ended,
  type Ports,
  type Resolved,
  type Routed,
  resolved,
  routed,
  type SemanticCache,
  scrubbed,
} from '@gateway/flow'
import { embeddings } from '../endpoints/index.ts'
import { noUsageCost, usageCostOf } from '../metering/index.ts'
import { logEntryOf } from '../observability/index.ts'

type Waiting = Map<string, Promise<readonly number[]>>

const underWay = new WeakMap<SemanticCache, Waiting>()

export function embed(
  ports: Ports<'runNode'>,
  exchange: Routed,
  { cache, text }: { cache: SemanticCache; text: string },
): Promise<readonly number[]> {
  const waiting: Waiting = underWay.get(cache) ?? new Map()
  underWay.set(cache, waiting)
  const known = waiting.get(text)
  if (known !== undefined) return known
  const asked = ask(ports, exchange, { cache, text }).finally(() => waiting.delete(text))
  waiting.set(text, asked)
  return asked
}

async function ask(
  ports: Ports<'runNode'>,
  exchange: Routed,
  { cache, text }: { cache: SemanticCache; text: string },
): Promise<readonly number[]> {
  const canceller = new Canceller()
  const clock = setTimeout(() => canceller.abort(timedOut()), cache.timeoutMs)
  const asked = exchangeFor(exchange, cache, { text, leaving: canceller })
  const startedAt = performance.now()
  let answer: Answer | null = null
  try {
    // The provider may ignore the cancellation.
    answer = await Promise.race([ports.runNode(asked), aborted(canceller)])
    if (canceller.aborted || answer === null) throw timedOut()
    return vectorOf(answer, cache)
  } finally {
    clearTimeout(clock)
    record(answer === null ? ended(asked) : answered(asked, answer), performance.now() - startedAt)
  }
}

const timedOut = () => new GatewayError('request_timeout', 'The embedding took too long.')

const aborted = (canceller: Canceller): Promise<null> =>
  new Promise((resolve) => canceller.listen(() => resolve(null)))

function exchangeFor(
  exchange: Routed,
  { node, model, dimensions }: SemanticCache,
  { text, leaving }: { text: string; leaving: Canceller },
): Resolved {
  const { options, workspace, transport } = exchange
  const { identity } = exchange.caller
  const { stores, traceId } = exchange.request
  const ledger = createLedger(exchange.request.ledger.deferred)
  const asked = createExchange({ stores, workspace, transport, leaving, traceId, ledger })
  const admitted = scrubbed(authenticated(asked, { identity, key: null }, workspace), noHeaders, {
    ...options,
    metadata: {},
    config: null,
    virtualKey: null,
    provider: null,
    credential: null,
    keys: {},
    customHost: null,
    forwardHeaders: null,
    requestTimeoutMs: null,
    firstTokenTimeoutMs: null,
    streamIdleTimeoutMs: null,
  })
  const call = resolved(routed(admitted, embeddings), node, node)
  const body: JsonObject = { model, input: text, encoding_format: 'float' }
  changeInput(call, { body: dimensions === null ? body : { ...body, dimensions }, prompt: null })
  return call
}

const noHeaders: Resolved['headers'] = {}

function vectorOf(answer: Answer, { dimensions }: SemanticCache): readonly number[] {
  if (answer.fault !== null) throw answer.fault
  const { data } = answer.body ?? {}
  const first = Array.isArray(data) ? data[0] : undefined
  const values = isObject(first) ? first.embedding : undefined
  const isVector =
    Array.isArray(values) && values.length > 0 && values.every((value) => Number.isFinite(value))
  if (answer.status !== 200 || !isVector || (dimensions !== null && values.length !== dimensions)) {
    throw new GatewayError(
      'upstream_invalid_response',
      'The embedding model of the semantic cache returned no embedding.',
    )
  }
  // Every component was checked above.
  return values as readonly number[]
}

/** Adds a separate log entry to the same trace. */
function record(asked: Ended, durationMs: number): void {
  const { answer, workspace } = asked
  const { ledger, stores } = asked.request
  const entry = logEntryOf(asked, {
    status: answer?.status ?? 408,
    durationMs,
    usageCost: ledger.attempts.length === 0 ? noUsageCost : usageCostOf(asked, ledger.attempts, Date.now()),
    endpoint: embeddings,
    streamed: () => null,
  })
  if (entry === null) return
  const request_url = '/v1/embeddings'
  stores.logs.add({
    ...entry,
    id: timeOrderedId(Date.now()),
    fields: {
      ...entry.fields,
      // An embedding computed for a replay belongs to the replay.
      source: asked.transport.origin?.source ?? 'cache',
      request_url,
      user_id: null,
      api_key_id: null,
    },
    bodies: workspace.logs.bodies === 'full' ? entry.bodies : null,
  })
}
