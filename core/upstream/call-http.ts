/** One HTTP call to a provider in its dialect. */

import {
  type BatchProvider,
  type CallContext,
  GatewayError,
  type HttpEndpoint,
  isJsonType,
  isObject,
  type JsonObject,
  ownMember,
  parseJson,
  UpstreamFault,
  type UpstreamRequest,
} from '@gateway/contract'
import type { AnswerList, RepairContext, StreamFormat } from '@gateway/contract/dialect'
import {
  type Answer,
  type AnswerStream,
  andThen,
  createAnswer,
  elapsedMs,
  type MaybePromise,
  nodePath,
  passHeaders,
  type Resolved,
  type ResolvedTarget,
  type Routed,
  recordDecision,
  type Targeted,
  traceParentOf,
  type UpstreamAnswer,
} from '@gateway/flow'
import {
  askUsage,
  askUsageInText,
  createStreamRepair,
  createStreamUsage,
  frameStream,
  hidesUsage,
  limitIdleTime,
  passStream,
  peekFirstContent,
  type StreamRepair,
  translateStream,
} from '@gateway/streaming'
import { answerBounds, authorize, bodyText, type CallIo, errorBounds, readBody } from './call-io.ts'
import { readUpstreamError, upstreamErrorAnswer } from './error-answer.ts'
import { leftOutTools } from './left-out-tools.ts'
import { readMedia } from './media-answer.ts'
import { wholeBody } from './whole-body.ts'

/** What a call uses from its request to the last byte of its answer. */
interface HttpCall {
  target: ResolvedTarget
  endpoint: HttpEndpoint
  context: CallContext
  io: CallIo
}

export function callHttp(exchange: Targeted, call: HttpCall): MaybePromise<Answer> {
  const { endpoint, context, io } = call
  const prepared =
    endpoint.prepare === undefined ? exchange.input.body : endpoint.prepare(exchange.input.body, context, io)
  const sent = andThen(prepared, (body) => send(exchange, call, buildRequest(exchange, call, body)))
  return andThen(sent, (answer) => readAnswer(exchange, call, answer))
}

function readAnswer(
  exchange: Resolved,
  { target, endpoint, context, io }: HttpCall,
  answer: UpstreamAnswer,
): MaybePromise<Answer> {
  const headers = passHeaders(answer.headers, exchange.workspace.file.server.header_prefixes)
  if (answer.status >= 300 && answer.status < 400) {
    answer.body.destroy()
    throw new GatewayError('upstream_invalid_response', 'The provider answered with a redirect.')
  }
  // 204 and 205: callers would not read a body with these statuses, either.
  if (answer.status === 204 || answer.status === 205) {
    answer.body.destroy()
    throw unreadable()
  }
  if (answer.status >= 400)
    return andThen(readBody(answer, errorBounds(exchange)), (bytes) => {
      const { dialect } = endpoint
      const error = readUpstreamError(answer.status, bodyText(bytes), {
        read: dialect.error,
        headers: answer.headers,
      })
      return upstreamErrorAnswer(error, target, headers)
    })
  const kind = kindOf(exchange, endpoint, answer)
  const answered = { endpoint, context, answer, headers }
  if (kind === 'events') return readStream(exchange, answered, io.streamBegan)
  if (kind === 'json') return readWhole(exchange, answered)
  return readMedia(exchange, kind, { answer, headers })
}

/** Sends the request to the provider; a request of a batch goes to the runner of the batch instead. */
function send(
  { transport, workspace }: Routed,
  { target, io }: HttpCall,
  request: UpstreamRequest,
): MaybePromise<UpstreamAnswer> {
  const provider = transport.origin?.provider
  return provider === undefined
    ? andThen(authorize(target, request, io), (final) => workspace.upstream.send(final, io.cancellation))
    : askBatch(provider, transport.path, { target, request })
}

/** The answer that the runner of a batch returns instead. */
async function askBatch(
  provider: BatchProvider,
  path: string,
  { target, request }: { target: ResolvedTarget; request: UpstreamRequest },
): Promise<UpstreamAnswer> {
  const sent = parseJson(String(request.body ?? '{}'))
  const given = isObject(sent) ? sent : {}
  const { status, body } = await provider.answer({
    body: given,
    line: batchLine(target, path, given),
  })
  return { status, headers: { 'content-type': 'application/json' }, body: wholeBody(JSON.stringify(body)) }
}

function batchLine({ adapter, settings }: ResolvedTarget, path: string, body: JsonObject): JsonObject {
  return adapter.batchLines?.write({ path, body }, settings) ?? { method: 'POST', url: path, body }
}

/** The kind of answer: as requested, or by content type if the dialect leaves that open. */
function kindOf(
  { input: { body } }: Routed,
  { dialect }: HttpEndpoint,
  answer: UpstreamAnswer,
): 'events' | 'json' | 'bytes' | 'text' {
  const { otherwise } = dialect
  if (otherwise === undefined) return body.stream === true ? 'events' : 'json'
  if (otherwise === 'raw') return 'bytes'
  const type = answer.headers['content-type'] ?? ''
  if (/^text\/event-stream\b/i.test(type)) return 'events'
  return otherwise === 'nothing' || isJsonType(type) ? 'json' : otherwise
}

function buildRequest(
  exchange: Targeted,
  { target, endpoint, context }: HttpCall,
  body: JsonObject,
): UpstreamRequest {
  const { source } = exchange.input
  const { dialect, method } = endpoint
  const isAsked = body.stream === true && hidesUsage(exchange)
  const given = isAsked ? askUsage(body) : body
  const wire = dialect.request(given, context)
  const { last } = exchange.attempt
  if (last !== null) last.wire = wire
  const leftOut = body.tools === undefined ? [] : leftOutTools(body, wire)
  if (leftOut.length > 0)
    recordDecision(exchange, {
      step: 'translate',
      path: nodePath(exchange),
      at_ms: elapsedMs(exchange),
      left_out: leftOut,
    })
  const path = typeof endpoint.path === 'string' ? endpoint.path : endpoint.path(body, target.settings)
  const encoded = dialect.encode?.(wire, context)
  // An unchanged body is forwarded as its original text.
  const text = () => {
    if (source !== null && wire === source.body) return source.text
    // A retry sends the text of the attempt before it. The body of a translated call is not that of its attempt.
    const isBodyOfAttempt = wire === last?.body
    if (isBodyOfAttempt && last.text !== null) return last.text
    const isOnlyAsked = isAsked && wire === given && body === source?.body
    const written = (isOnlyAsked ? askUsageInText(source.text, body) : null) ?? JSON.stringify(wire)
    if (isBodyOfAttempt) last.text = written
    return written
  }
  const headers = forwarded(exchange, endpoint)
  headers['content-type'] = encoded?.contentType ?? 'application/json'
  headers.accept = body.stream === true ? 'text/event-stream' : 'application/json'
  return {
    method,
    url: (endpoint.base?.(target.settings) ?? target.baseUrl) + path,
    headers: Object.assign(headers, endpoint.headers?.(body, context)),
    body: method === 'GET' || method === 'DELETE' ? null : (encoded?.bytes ?? text()),
    ...(encoded?.stream === undefined ? {} : { stream: encoded.stream }),
  }
}

/** The headers forwarded by the request or the config, and those of the format. */
export function forwarded(
  exchange: Targeted,
  { passes = [] }: Pick<HttpEndpoint, 'passes'>,
): Record<string, string> {
  const names = exchange.options.forwardHeaders ?? exchange.node.forwardHeaders
  const target = exchange.target
  // Assigned one by one: adding members to a spread copy gives every object its own hidden class, which is slow.
  const headers: Record<string, string> = {}
  for (const name in target.headers) headers[name] = target.headers[name] as string
  const asked = passes.length + target.forwardHeaders.length
  for (const name of asked === 0 ? names : [...names, ...passes, ...target.forwardHeaders]) {
    const value = ownMember(exchange.headers, name)
    if (value !== undefined) headers[name] = value
  }
  const { last: attempt } = exchange.attempt
  const { ledger } = exchange.request
  if (ledger.trace !== null && attempt?.spanId != null)
    headers.traceparent = traceParentOf(ledger.trace, attempt.spanId)
  return headers
}

/** The start of an upstream's answer, and the data needed to read the rest. */
interface Answered {
  endpoint: HttpEndpoint
  context: CallContext
  answer: UpstreamAnswer
  /** Headers for the caller. */
  headers: Record<string, string>
}

const readWhole = (exchange: Routed, answered: Answered): Promise<Answer> =>
  readBody(answered.answer, answerBounds(exchange)).then((bytes) =>
    createAnswer({
      status: answered.answer.status,
      headers: answered.headers,
      ...wholeBodyOf(exchange, answered, bytes),
    }),
  )

/** The body, and its text if that is the provider's. */
function wholeBodyOf(
  exchange: Routed,
  { endpoint, context, answer }: Answered,
  bytes: Buffer,
): Pick<Answer, 'body' | 'text'> {
  const { decode } = endpoint.dialect
  const text = decode === undefined ? bodyText(bytes) : ''
  const wire = decode === undefined ? parseJson(text) : decode(bytes, answer.headers, context)
  if (!isObject(wire)) throw unreadable()
  const said = translate(endpoint, wire, context)
  const { format, answerList } = exchange.endpoint
  if (answerList !== null && !isAnswer(said, answerList))
    throw format.readError({ event: null, data: JSON.stringify(said) }) ?? unreadable()
  const body = format.repair?.answer(said, context) ?? said
  return { body, text: body === wire ? text : null }
}

function isAnswer(body: JsonObject, { member, isRequired }: AnswerList): boolean {
  const list = ownMember(body, member)
  if (list !== undefined) return Array.isArray(list)
  return !isRequired && Object.keys(body).length > 0
}

/** An exception of a dialect means that the answer is invalid. */
function translate(endpoint: HttpEndpoint, wire: JsonObject, context: CallContext): JsonObject {
  try {
    return endpoint.dialect.answer(wire, context)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unreadable(error)
  }
}

/** The maximum silence of a stream: from the request, the config, or the server settings. */
const streamIdleMs = ({ options, node, workspace }: Resolved): number =>
  options?.streamIdleTimeoutMs ?? node?.streamClocks?.idleMs ?? workspace.file.server.stream_idle_timeout_ms

async function readStream(exchange: Resolved, answered: Answered, began: () => void): Promise<Answer> {
  const { endpoint, context, answer, headers } = answered
  const { stream: kind, framing } = endpoint.dialect
  if (kind === undefined) {
    answer.body.destroy()
    throw unreadable()
  }
  const idleMs = streamIdleMs(exchange)
  const format = exchange.endpoint.format
  const usage = createStreamUsage(exchange.attempt.last, format, hidesUsage(exchange))
  // An error, or a whole answer: not every provider streams with every model.
  if (isJsonType(answer.headers['content-type'] ?? '')) {
    const { status, body, text } = await readWhole(exchange, answered)
    const fault = text === null ? null : format.readError({ event: null, data: text })
    if (fault !== null) throw refineBy(endpoint)(fault)
    const chunks = body === null ? [] : format.disassemble(body)
    if (chunks.length === 0) throw unreadable()
    return createAnswer({ status, headers, stream: frameStream(chunks, format, usage.event) })
  }
  const held = exchange.transport.buffers.open()
  const repair = repairWhenMarked(format, context)
  const stream: AnswerStream =
    kind === 'same'
      ? passStream(answer.body, {
          idleMs,
          format,
          choices: typeof context.request.n === 'number' ? context.request.n : 1,
          see: (events) => usage.bytes(repair.bytes(events)),
          refine: refineBy(endpoint),
          held,
        })
      : translateStream(limitIdleTime(answer.body, idleMs), kind(context), {
          framing,
          format,
          see: (event) => usage.event(repair.event(event)),
          held,
        })
  return createAnswer({
    status: answer.status,
    headers,
    stream: await peekFirstContent(stream, format, began),
  })
}

/** Few streams have an event to correct: nothing is prepared before the first one with a mark. */
function repairWhenMarked(format: StreamFormat, context: RepairContext): StreamRepair {
  const { repair, write } = format
  if (repair === null) return { bytes: (events) => events, event: (event) => event }
  let made: StreamRepair | null = null
  const prepared = (): StreamRepair => {
    made ??= createStreamRepair(repair, context, write)
    return made
  }
  return {
    bytes: (events) =>
      repair.marks.some((mark) => events.includes(mark)) ? prepared().bytes(events) : events,
    event: (event) => prepared().event(event),
  }
}

/** Only the provider's dialect recognises the provider's error for a request that is too long. */
const refineBy =
  ({ dialect }: HttpEndpoint) =>
  ({ upstream, headers }: UpstreamFault): UpstreamFault => {
    const { status, message, type, param, code } = upstream
    const read = dialect.error?.(status, { error: { message, type, param, code } }, headers)
    const { tooLong } = read ?? {}
    return new UpstreamFault(tooLong === undefined ? upstream : { ...upstream, tooLong }, headers)
  }

function unreadable(cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.', {
    cause,
  })
}
