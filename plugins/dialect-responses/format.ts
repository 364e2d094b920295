/**
 * The stream of a response: named events from `response.created` to `response.completed` or `response.incomplete`, then
 * `data: [DONE]`. A failed response is an ordinary error, so fallbacks apply.
 * Reference: https://www.openresponses.org/reference
 */
import { isObject, type JsonObject, parseJson, type StreamEvent, UpstreamFault } from '@gateway/contract'
import {
  faultOf,
  readUsage,
  type StreamFailure,
  type StreamFormat,
  type Usage,
  withUnits,
  writeEvent,
  writeNamedEvent,
} from '@gateway/contract/dialect'
import { endedTexts, responseDeltas, writtenDeltas } from './deltas.ts'
import { failureEvents } from './failure.ts'
import { gatherResponse, replayResponse } from './replay.ts'

const doneEvent = writeEvent('[DONE]')

const write = (event: JsonObject): Buffer =>
  writeNamedEvent(typeof event.type === 'string' ? event.type : 'message', event)

export const responsesFormat: StreamFormat = {
  write,
  ending: Buffer.alloc(0),
  trailer: doneEvent,
  marks: [
    'response.completed',
    'response.incomplete',
    'response.failed',
    '"error"',
    'event: error',
    'event:error',
  ].map((text) => Buffer.from(text)),
  isLast: (event) => ['response.completed', 'response.incomplete'].includes(typeOf(event)),
  writeLast: (event) => writeNamedEvent(typeOf(event), eventOf(event)),
  finishMarks: [],
  repair: null,
  readError,
  isOpening,
  deltas: responseDeltas,
  written: { marks: [Buffer.from('.delta"')], deltas: writtenDeltas },
  // For example, `0` of `/output/0/arguments`. The last event contains the whole response.
  textAlone: () => null,
  groupOf: (path) => path.split('/', 3)[2] ?? '',
  ended: endedTexts,
  assemble: gatherResponse,
  disassemble: replayResponse,
  usageMarks: ['"usage":{', '"usage": {'].map((text) => Buffer.from(text)),
  usageOf,
  errorBody: (body) => body,
  writeError,
  writeFailed,
  // The only event without response data. Clients ignore it, whatever other members it has.
  writeExtra: (extra) => write({ type: 'keepalive', ...extra }),
}

/** Retrieving a stored response uses no tokens. */
export const keptResponseFormat: StreamFormat = { ...responsesFormat, usageOf: (_body, before) => before }

const eventOf = ({ data }: StreamEvent): JsonObject => {
  const event = parseJson(data)
  return isObject(event) ? event : {}
}

/** An event without a name has its type in the data. */
function typeOf(event: StreamEvent): string {
  if (event.event !== null) return event.event
  const { type } = eventOf(event)
  return typeof type === 'string' ? type : ''
}

const openings = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.content_part.added',
  'response.reasoning_summary_part.added',
  'keepalive',
])

/** Whether an item starts empty. Messages and reasoning do; a function call starts with its name. */
function isOpening({ type, item }: JsonObject): boolean {
  if (typeof type === 'string' && openings.has(type)) return true
  if (type !== 'response.output_item.added' || !isObject(item)) return false
  return item.type === 'message' || item.type === 'reasoning'
}

/** The HTTP status of a code, for errors inside a stream. */
const statuses: ReadonlyMap<unknown, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['invalid_prompt', 400],
  ['server_error', 500],
])

/** The error in an `error` event or a failed response. */
function readError(event: StreamEvent): UpstreamFault | null {
  const type = typeOf(event)
  const body = eventOf(event)
  if (type === 'response.failed') {
    const response = isObject(body.response) ? body.response : {}
    return withStatus(isObject(response.error) ? response.error : {})
  }
  // Some upstreams omit the event's name, or end with a plain error body.
  if (type !== 'error' && !isObject(body.error)) return null
  const { type: _, ...flat } = body
  return withStatus(isObject(body.error) ? body.error : flat)
}

function withStatus(error: JsonObject): UpstreamFault {
  const { upstream } = faultOf(error)
  return new UpstreamFault({ ...upstream, status: statuses.get(error.code) ?? upstream.status })
}

/** The usage in a response, or in the event that ends one. */
function usageOf(body: JsonObject, before: Usage | null): Usage | null {
  const { usage, output } = isObject(body.response) ? body.response : body
  if (!isObject(usage)) return before
  const called = (type: string) =>
    Array.isArray(output) ? output.filter((item) => isObject(item) && item.type === type).length : 0
  return withUnits(readUsage(usage), {
    web_search: called('web_search_call'),
    file_search: called('file_search_call'),
  })
}

/**
 * Writes the error into the event, as specified, and into `error`, where clients look for an error to throw. A failure
 * that clients act on becomes a failed response instead.
 */
function writeError(body: JsonObject, failure: StreamFailure): Buffer {
  const { sent } = failure
  if (failure.code !== null) {
    const [, failed] = failureEvents(body, failure.code, failure.request)
    return write({ ...failed, sequence_number: lastNumber(sent) + 1 })
  }
  const error = isObject(body.error) ? body.error : {}
  const { code = null, message = '', param = null } = error
  const event = { type: 'error', sequence_number: lastNumber(sent) + 1, code, message, param, ...body }
  return writeNamedEvent('error', event)
}

/** Writes a failed response from its first event. */
function writeFailed(body: JsonObject, { code, request }: StreamFailure): Buffer {
  const events = failureEvents(body, code, request)
  return Buffer.concat([
    ...events.map((event, index) => write({ ...event, sequence_number: index })),
    doneEvent,
  ])
}

/** The last sequence number that was sent; -1 if nothing was sent. */
function lastNumber(sent: Buffer | null): number {
  const text = sent?.subarray(sent.lastIndexOf('"sequence_number":')).toString('utf8', 0, 40) ?? ''
  const digits = /^"sequence_number":\s*(\d+)/.exec(text)?.[1]
  return digits === undefined ? -1 : Number(digits)
}
