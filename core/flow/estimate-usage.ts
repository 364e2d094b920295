/** The estimated usage of a request, before any provider has counted it. */
import type { Json, JsonObject, TextPart } from '@gateway/contract'
import type { Endpoint } from './endpoint.ts'
import type { Ledger } from './ledger.ts'
import { noUsage, type Usage } from './usage.ts'

const bytesPerToken = 4

/**
 * The estimated usage of a request, from its body alone: ⌈UTF-8 bytes of its text ÷ 4⌉ tokens of input, and the maximum
 * output that it allows (management contract, section 16). It also replaces missing provider usage. Bodies are never
 * mutated, so the ledger caches the estimate of the last one.
 */
export function estimateUsage(ledger: Pick<Ledger, 'estimate'>, endpoint: Endpoint, body: JsonObject): Usage {
  if (ledger.estimate?.body === body) return ledger.estimate.usage
  const usage = estimate(endpoint, body)
  ledger.estimate = { body, usage }
  return usage
}

function estimate(endpoint: Endpoint, body: JsonObject): Usage {
  const made = endpoint.isMetered
    ? { ...noUsage, promptTokens: inputTokens(endpoint, body), completionTokens: outputTokens(body) }
    : noUsage
  const asked = endpoint.makesImages ? choices(body) : 0
  return asked === 0 ? made : { ...made, units: { image: asked } }
}

export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

function inputTokens(endpoint: Endpoint, body: JsonObject): number {
  const parts: TextPart[] = []
  endpoint.requestTexts?.(body, parts)
  let bytes = 0
  for (const { text } of parts) bytes += Buffer.byteLength(text)
  return tokensOfBytes(bytes) + writtenTokens(body.input) + writtenTokens(body.prompt)
}

/** Token arrays are already counted. */
function writtenTokens(input: Json | undefined): number {
  if (!Array.isArray(input)) return 0
  return input.reduce<number>(
    (sum, item) => sum + (typeof item === 'number' ? 1 : Array.isArray(item) ? writtenTokens(item) : 0),
    0,
  )
}

const wholeNumber = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

const choices = (body: JsonObject): number => wholeNumber(body.n) ?? 1

function outputTokens(body: JsonObject): number {
  const most =
    wholeNumber(body.max_completion_tokens) ??
    wholeNumber(body.max_tokens) ??
    wholeNumber(body.max_output_tokens) ??
    0
  return choices(body) * most
}
