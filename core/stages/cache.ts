/**
 * Answers from the cache of the node that declares it: the same request, or, in the mode `semantic`, a similar question.
 * Nothing is shared between workspaces, credentials or hosts (`cacheKeyOf`). Concurrent identical misses share one
 * upstream call. A cache that does not answer is a miss, counted and logged.
 */
import { isObject, parseJson } from '@gateway/contract'
import {
  type Answer,
  andThen,
  andThenOr,
  type CacheStatus,
  type CheckPorts,
  createAnswer,
  elapsedMs,
  havePassed,
  keepsCheckState,
  type MaybePromise,
  type Next,
  nodePath,
  noteStep,
  type Ports,
  type Resolved,
  recordDecision,
  type SharedCall,
  streamTotalMs,
  type WithSetting,
} from '@gateway/flow'
import { parseEvents, prefixStream, sliceEvents, teeStream } from '@gateway/streaming'
import {
  cacheKeyOf,
  freshHead,
  maxAgeMs,
  reportCacheFault,
  type SemanticLookup,
  semanticLookup,
} from '../caching/index.ts'
import { checkAnswer } from '../guardrails/index.ts'
import { usageCostOf } from '../metering/index.ts'

/** Longer streams are not stored, and no more waiters may join. */
const maxStreamBytes = 8 * 1_048_576

const boundsOf = ({ transport }: Resolved) => ({ maxBytes: maxStreamBytes, held: transport.buffers.open() })

/** The first line of a stored answer, followed by its body or all of its events. */
type EntryHead = {
  headers: Readonly<Record<string, string>>
  provider: string | null
  virtualKey: string | null
  index: string | null
  isStream: boolean
  /** Its cost in cents; null if unknown. */
  cost: number | null
  /** Milliseconds since the epoch. */
  storedAt: number
}

export function cache(
  exchange: Resolved,
  next: Next<Resolved>,
  { ports }: WithSetting<unknown, CheckPorts & Ports<'answers' | 'semanticAnswers' | 'singleFlight'>>,
): MaybePromise<Answer> {
  return isUncached(exchange) ? next(exchange) : lookUp(ports, exchange, next)
}

/**
 * Checks may keep values for the answer, such as redacted texts; they belong to this caller, and so does the answer. An
 * endpoint may also exclude a body from the cache.
 */
const isUncached = (exchange: Resolved): boolean =>
  keepsCheckState(exchange.request.record) || !exchange.endpoint.mayCache(exchange.input.body)

function lookUp(
  ports: CheckPorts & Ports<'answers' | 'semanticAnswers' | 'singleFlight'>,
  exchange: Resolved,
  next: Next<Resolved>,
): MaybePromise<Answer> {
  const place = { key: cacheKeyOf(exchange), semantic: semanticLookup(ports, exchange) }
  if (exchange.options.cacheForceRefresh) return refresh(ports, exchange, { place, next })
  const startedAt = performance.now()
  const onLookUp = (stored: Answer | null): MaybePromise<Answer> => {
    noteLookUp(exchange, startedAt, stored === null ? 'MISS' : 'HIT')
    if (stored === null) return join(ports, exchange, place, startedAt, next)
    return andThen(checkAnswer(ports, exchange, stored), (answer) =>
      withStatus(ports, exchange, answer, 'HIT'),
    )
  }
  return andThenOr(
    () => ports.answers.get(place.key),
    (text) => onLookUp(text === undefined ? null : reviveOrMiss(ports, exchange, text)),
    // An unavailable store is a miss.
    (error) => onLookUp(missed(ports, exchange, error)),
  )
}

async function refresh(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  exchange: Resolved,
  { place, next }: { place: Place; next: Next<Resolved> },
): Promise<Answer> {
  noteLookUp(exchange, performance.now(), 'REFRESH')
  // The entry that is found is replaced when the answer is stored.
  const [fresh] = await Promise.all([next(exchange), place.semantic?.find()])
  const answer = await keep(ports, exchange, place, fresh)
  return withStatus(ports, exchange, answer, 'REFRESH', place.semantic)
}

/** Shares the upstream call of an identical request that is being made, or makes it. */
function join(
  ports: CheckPorts & Ports<'answers' | 'singleFlight'>,
  exchange: Resolved,
  place: Place,
  startedAt: number,
  next: Next<Resolved>,
): MaybePromise<Answer> {
  const key = sharedKey(exchange, place.key)
  const call = ports.singleFlight.find(key)
  return call === undefined
    ? callOnce(ports, exchange, { key, place, next })
    : share(ports, exchange, { call, startedAt })
}

async function share(
  ports: Ports<'metrics'>,
  exchange: Resolved,
  { call, startedAt }: { call: SharedCall; startedAt: number },
): Promise<Answer> {
  const leave = call.join(exchange.leaving)
  try {
    const { answer, shared, cost } = await call.result
    noteLookUp(exchange, startedAt, answer.status === 200 ? 'HIT' : 'MISS')
    exchange.request.record.savedCost = cost
    const stream = shared?.reader() ?? null
    const own = { ...answer, stream, beforeResults: exchange.input.beforeResults }
    // A stream is left when its client disconnects.
    if (stream === null) leave()
    return withStatus(ports, exchange, own, sharedStatus(answer))
  } catch (error) {
    leave()
    throw error
  }
}

/** Adds a step to the trace: a cache lookup, or the wait for another request's answer. */
function noteLookUp(
  { request: { ledger, startedAt } }: Resolved,
  beganAt: number,
  status: CacheStatus,
): void {
  if (ledger.trace === null) return
  const endedMs = performance.now() - startedAt
  noteStep(ledger.trace, { kind: 'cache', startedMs: beganAt - startedAt, endedMs, status })
}

/** Makes the call for all concurrent identical requests. */
async function callOnce(
  ports: CheckPorts & Ports<'answers' | 'singleFlight'>,
  exchange: Resolved,
  { key, place, next }: { key: string; place: Place; next: Next<Resolved> },
): Promise<Answer> {
  const { call, resolve, reject, close } = ports.singleFlight.begin(key)
  const leave = call.join(exchange.leaving)
  exchange.leaving = call.cancellation
  try {
    const near = place.semantic === null ? null : await findNear(ports, exchange, place.semantic)
    const isNear = near !== null
    const answer = near ?? (await next(exchange))
    const missedAs = place.semantic === null ? 'MISS' : 'SEMANTIC MISS'
    const status = isNear ? 'SEMANTIC HIT' : missedAs
    const cost = () => (isNear ? (exchange.request.record.savedCost?.() ?? null) : costSoFar(exchange))
    if (answer.stream === null) {
      const kept = isNear ? answer : await keep(ports, exchange, place, answer)
      resolve({ answer: kept, shared: null, cost })
      close()
      leave()
      return withStatus(ports, exchange, kept, status, place.semantic)
    }
    const shared = teeStream(answer.stream, boundsOf(exchange), async (bytes) => {
      if (bytes !== null && !isNear) await storeStream(ports, exchange, { place, answer, chunks: bytes })
      close()
    })
    resolve({ answer, shared, cost })
    return withStatus(ports, exchange, { ...answer, stream: shared.reader() }, status, place.semantic)
  } catch (error) {
    reject(error)
    close()
    leave()
    throw error
  }
}

/** Where an answer is stored: under its exact key, and, in the mode `semantic`, by its text. */
interface Place {
  key: string
  semantic: SemanticLookup | null
}

/** The stored answer to a similar question, checked like every stored answer. */
async function findNear(
  ports: CheckPorts,
  exchange: Resolved,
  semantic: SemanticLookup,
): Promise<Answer | null> {
  const found = await semantic.find()
  const stored = found === null ? null : revive(exchange, found.text)
  if (found === null || stored === null) return null
  const own = { ...stored, cacheStatus: 'SEMANTIC HIT' as const, cacheSimilarity: found.similarity }
  return checkAnswer(ports, exchange, own)
}

/** The cache status of an answer that another request fetched. */
function sharedStatus({ status, cacheStatus }: Answer): CacheStatus {
  if (cacheStatus === 'SEMANTIC HIT') return cacheStatus
  return status === 200 ? 'HIT' : 'MISS'
}

/**
 * The key of a shared call: that of the answer, and everything else that must be equal among its waiters. Retries and the
 * threshold are part of `callFingerprint`.
 */
function sharedKey(exchange: Resolved, key: string): string {
  const { node, options } = exchange
  const { callFingerprint } = node
  const { requestTimeoutMs, firstTokenTimeoutMs, streamIdleTimeoutMs } = options
  const timeouts = `${requestTimeoutMs} ${firstTokenTimeoutMs} ${streamIdleTimeoutMs} ${streamTotalMs(exchange)}`
  return `${key} ${callFingerprint} ${timeouts}`
}

/**
 * Counts and records the status of the cache, and returns the answer with it.
 * @param semantic the search that this request made
 */
function withStatus(
  ports: Ports<'metrics'>,
  exchange: Resolved,
  answer: Answer,
  status: CacheStatus,
  semantic: SemanticLookup | null = null,
): Answer {
  ports.metrics.cache.inc({ status })
  const { cacheSimilarity: similarity } = answer
  const refused = semantic?.refused() ?? []
  recordDecision(exchange, {
    step: 'cache',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    status,
    similarity: similarity ?? undefined,
    refused: refused.length === 0 ? undefined : refused,
  })
  return answer.cacheStatus === status ? answer : { ...answer, cacheStatus: status }
}

function missed(ports: Ports<'log' | 'metrics'>, exchange: Resolved, error: unknown): null {
  reportCacheFault(ports, exchange, { operation: 'read', error })
  return null
}

function reviveOrMiss(ports: Ports<'log' | 'metrics'>, exchange: Resolved, text: string): Answer | null {
  try {
    return revive(exchange, text)
  } catch (error) {
    return missed(ports, exchange, error)
  }
}

/** Null for an entry whose first line cannot be read, and for one that is too old. Also notes the saved cost. */
function revive(exchange: Resolved, stored: string): Answer | null {
  const head = freshHead(exchange, stored)
  if (head === null) return null
  // Only `write` below makes first lines, also those of the semantic cache.
  const { headers, provider, virtualKey, index, isStream, cost } = head as EntryHead
  exchange.request.record.savedCost = () => cost ?? null
  const { beforeResults } = exchange.input
  const sent = stored.slice(stored.indexOf('\n') + 1)
  const stream = isStream ? prefixStream(sliceEvents(Buffer.from(sent)), emptyStream()) : null
  const text = isStream ? null : sent
  // Parsed only on demand.
  const isRead = beforeResults.length > 0 || exchange.node.after.length > 0
  const body = text !== null && isRead ? parseJson(text) : null
  return createAnswer({
    headers,
    provider,
    virtualKey,
    index,
    beforeResults,
    stream,
    text,
    body: isObject(body) ? body : null,
    cacheStatus: 'HIT',
  })
}

async function* emptyStream(): AsyncGenerator<Buffer, void, undefined> {
  // No events follow a stored answer.
}

/** Stores the answer if allowed; returns the caller's answer. */
async function keep(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  exchange: Resolved,
  place: Place,
  answer: Answer,
): Promise<Answer> {
  if (answer.stream !== null) {
    const shared = teeStream(answer.stream, boundsOf(exchange), async (bytes) => {
      if (bytes !== null) await storeStream(ports, exchange, { place, answer, chunks: bytes })
    })
    return { ...answer, stream: shared.reader() }
  }
  if (mayStore(answer)) {
    const text = answer.text ?? JSON.stringify(answer.body)
    await write(ports, exchange, place, { answer, isStream: false, text })
  }
  return answer
}

/** Only successful answers that passed all guardrails are stored. */
const mayStore = (answer: Answer) =>
  answer.status === 200 &&
  answer.fault === null &&
  havePassed(answer.beforeResults) &&
  havePassed(answer.afterResults) &&
  havePassed(answer.lateResults)

interface StoreStreamOptions {
  place: Place
  answer: Answer
  chunks: readonly Buffer[]
}

async function storeStream(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  exchange: Resolved,
  { place, answer, chunks }: StoreStreamOptions,
): Promise<void> {
  if (!mayStore(answer)) return
  const bytes = Buffer.concat(chunks)
  // The verdicts of this request's hooks do not apply to the next one.
  const events = sliceEvents(bytes).filter((slice) => !isVerdict(slice))
  const text = Buffer.concat(events).toString('utf8')
  await write(ports, exchange, place, { answer, isStream: true, text })
}

const isVerdict = (slice: Buffer) =>
  slice.includes('"hook_results"') &&
  parseEvents(slice).some(({ data }) => {
    const chunk = parseJson(data)
    return isObject(chunk) && chunk.hook_results !== undefined
  })

async function write(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  exchange: Resolved,
  { key, semantic }: Place,
  { answer, isStream, text }: { answer: Answer; isStream: boolean; text: string },
): Promise<void> {
  const head: EntryHead = {
    headers: answer.headers,
    provider: answer.provider,
    virtualKey: answer.virtualKey,
    index: answer.index,
    isStream,
    cost: costSoFar(exchange),
    storedAt: Date.now(),
  }
  const ttlMs = maxAgeMs(exchange)
  try {
    await ports.answers.set(key, `${JSON.stringify(head)}\n${text}`, ttlMs)
  } catch (error) {
    reportCacheFault(ports, exchange, { operation: 'write', error })
  }
  await semantic?.store({ head, text }, ttlMs)
}

/** The cost of a request so far, in cents; null when the price is unknown. */
function costSoFar(exchange: Resolved): number | null {
  const { cost } = usageCostOf(exchange, exchange.request.ledger.attempts, Date.now())
  return cost.isKnown ? cost.cents : null
}
