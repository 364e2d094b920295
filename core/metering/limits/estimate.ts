/**
 * What a request may need, from its body alone: ⌈UTF-8 bytes of its text ÷ 4⌉ tokens of input, and the most output that
 * it allows (management contract, section 16). Where a provider does not say what was used, it stands in for that.
 */

import type { Json, JsonObject } from '@gateway/contract'
import { type Endpoint, textParts } from '../../flow/endpoint.ts'
import type { Ledger } from '../../flow/ledger.ts'
import { noUsage, type Usage } from '../../flow/usage.ts'

const bytesPerToken = 4

/** What a body may use. Bodies are replaced, never changed: the ledger keeps the estimate of the last one. */
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
  let bytes = 0
  for (const { text } of textParts(endpoint, 'before', body)) bytes += Buffer.byteLength(text)
  return tokensOfBytes(bytes) + writtenTokens(body.input) + writtenTokens(body.prompt)
}

/** Input that came as numbers is counted already. */
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
