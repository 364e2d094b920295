/** One side of a pair in numbers, read from its log entry. */
import { isObject, type JsonObject, type LogEntry } from '@gateway/contract'
import { logOutcome, readBody } from '@gateway/domain'
import { type ReadAnswer, replayedEndpoints } from './answers.ts'
import type { JsonCheck } from './wanted-json.ts'

/** A null value was not measured or does not exist. Only the length of texts is stored. */
export type Side = {
  status: number
  is_error: boolean
  is_denied: boolean
  /** US cents; null if unknown. */
  cost: number | null
  input_tokens: number
  output_tokens: number
  latency_ms: number | null
  first_token_ms: number | null
  model: string | null
  finish: string | null
  is_refusal: boolean
  /** The number of characters in its text. */
  length: number | null
  is_valid_json: boolean | null
}

export interface ReadSide {
  side: Side
  /** Null if no model answered. */
  answer: ReadAnswer | null
}

export async function readSide(entry: LogEntry, checkJson: JsonCheck | null): Promise<ReadSide> {
  const { fields, bodies, details } = entry
  const status = fields.response_status_code ?? 0
  const outcome = logOutcome(fields)
  const isDenied = outcome === 'denied' || hasDenial(details.hook_results)
  const isError = !isDenied && (outcome === 'error' || status < 200 || status > 299)
  const body = isDenied || isError ? null : readBody(bodies?.response)
  const endpoint = replayedEndpoints[fields.endpoint_type ?? '']
  // A body that was truncated in the log is a string.
  const answer = isObject(body) && endpoint !== undefined ? endpoint.read(body) : null
  const hasText = answer !== null && endpoint?.hasText === true
  const isJsonExpected = hasText && answer.tools.length === 0 && !answer.isRefusal
  const side: Side = {
    status,
    is_error: isError,
    is_denied: isDenied,
    cost: fields.cost_known === false ? null : (fields.cost ?? null),
    input_tokens: fields.req_units ?? 0,
    output_tokens: fields.res_units ?? 0,
    latency_ms: fields.response_time ?? null,
    first_token_ms: fields.time_to_first_token ?? null,
    model: fields.ai_model ?? null,
    finish: answer?.finish ?? null,
    is_refusal: answer?.isRefusal ?? false,
    length: hasText ? answer.text.length : null,
    is_valid_json: checkJson === null || !isJsonExpected ? null : await checkJson(answer.text),
  }
  return { side, answer }
}

/** A guardrail can also deny a stream that has begun, whose status is 200. */
function hasDenial(results: unknown): boolean {
  if (!isObject(results)) return false
  const phases: unknown[] = Object.values(results as JsonObject)
  return phases.flat().some((hook) => isObject(hook) && hook.deny === true && hook.verdict === false)
}
