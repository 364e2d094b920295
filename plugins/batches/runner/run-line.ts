/** Sends one line of a batch as a request through the pipeline, and writes its result as a line of the output. */
import {
  type BatchProvider,
  isObject,
  type JsonObject,
  type LogEntry,
  type Outgoing,
  type ServiceContext,
} from '@gateway/contract'
import { type DocumentOf, derivedId } from '@gateway/domain'
import { outgoingOf, ownEntry, type RecordedAnswer, runRecorded } from '../engine/run-recorded.ts'
import { writeId } from '../shared/ids.ts'
import type { BatchLine } from './check-lines.ts'

export interface LineResult {
  number: number
  isFailed: boolean
  /** The line of the output or error file. */
  text: string
  usage: LineUsage | null
  outgoing: Outgoing[]
}

interface LineUsage {
  input: number
  output: number
  cached: number
  reasoning: number
  /** US cents. */
  cost: number
  isKnown: boolean
}

export interface LineCaller {
  batch: DocumentOf<'batch'>
  /** The headers of the call that created the batch. */
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
}

/** Sends a line. Its usage and its log entry are returned with the answer. */
export async function askLine(
  context: ServiceContext<'runInference'>,
  { batch, headers, signal }: LineCaller,
  { line, provider }: { line: BatchLine; provider?: BatchProvider },
): Promise<RecordedAnswer> {
  const { id, data } = batch
  return runRecorded(context, {
    path: data.endpoint,
    body:
      data.model === null || line.body.model !== undefined ? line.body : { ...line.body, model: data.model },
    identity: { ...data.caller, scopes: new Set(data.caller.scopes) },
    headers: { ...headers, ...spanOf(headers, data.trace_id, line.number) },
    clientIp: data.client_ip,
    signal,
    origin: { batch_id: writeId('batch', data.owner, id) },
    ...(provider === undefined ? {} : { provider }),
  })
}

/** Uses the header prefix of the batch: otherwise a header could occur twice. */
function spanOf(
  headers: Readonly<Record<string, string>>,
  traceId: string,
  index: number,
): Record<string, string> {
  const known = Object.keys(headers).find((name) => name.endsWith('-trace-id'))
  const prefix = known?.slice(0, -'trace-id'.length) ?? 'x-gateway-'
  return { [`${prefix}trace-id`]: traceId, [`${prefix}span-id`]: `${traceId}-${index}` }
}

/** The stored result of a line. */
export function resultOf(
  batchId: string,
  line: Pick<BatchLine, 'number' | 'customId'>,
  answer: RecordedAnswer,
): LineResult {
  const { status, headers, text } = answer
  const body = parse(text)
  const isFailed = status < 200 || status >= 300
  const requestId = headers['x-request-id'] ?? null
  const own = ownEntry(answer)
  return {
    number: line.number,
    isFailed,
    text: JSON.stringify({
      id: lineId(batchId, line.number),
      custom_id: line.customId,
      response: { status_code: status, request_id: requestId, body },
      error: isFailed ? errorOf(status, body) : null,
    }),
    usage: own === undefined ? null : usageOf(own),
    outgoing: outgoingOf(`${batchId}/${line.number}`, answer),
  }
}

/** The result of a line that was never sent. */
export function refusedLine(
  batchId: string,
  line: Pick<BatchLine, 'number' | 'customId'>,
  error: { status?: number; code: string; message: string; param?: string },
): LineResult {
  const { status, code, message, param = null } = error
  const body = { error: { message, type: 'invalid_request_error', param, code } }
  return {
    number: line.number,
    isFailed: true,
    text: JSON.stringify({
      id: lineId(batchId, line.number),
      custom_id: line.customId,
      response: status === undefined ? null : { status_code: status, request_id: null, body },
      error: { code, message, ...(param === null ? {} : { param }) },
    }),
    usage: null,
    outgoing: [],
  }
}

const lineId = (batchId: string, number: number) =>
  `batch_req_${derivedId(`${batchId}/${number}`).replaceAll('-', '')}`

function parse(text: string): JsonObject | string | null {
  if (text === '') return null
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : text
  } catch {
    return text
  }
}

/** Refusals of a creator whose rights have changed since; a line has one of two codes for them. */
const lostRights: Readonly<Record<string, string>> = {
  expired_api_key: 'invalid_api_key',
  session_expired: 'invalid_api_key',
  missing_scope: 'forbidden',
}

function errorOf(status: number, body: JsonObject | string | null): JsonObject {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const isOfProvider = isObject(body) && body.provider !== undefined
  const code = typeof error.code === 'string' ? error.code : `status_${status}`
  return {
    code: isOfProvider ? code : (lostRights[code] ?? code),
    message: typeof error.message === 'string' ? error.message : `The request failed with status ${status}.`,
  }
}

function usageOf({ fields }: LogEntry): LineUsage {
  return {
    input: fields.req_units ?? 0,
    output: fields.res_units ?? 0,
    cached: fields.cached_units ?? 0,
    reasoning: fields.reasoning_units ?? 0,
    cost: fields.cost ?? 0,
    isKnown: fields.cost_known ?? true,
  }
}
