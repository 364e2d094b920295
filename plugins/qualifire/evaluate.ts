/**
 * Qualifire's evaluations: one call, which returns the evaluations and whether each was flagged.
 * Reference: `POST /api/evaluation/evaluate` of https://github.com/qualifire-dev/qualifire-python-sdk (client.py,
 * types.py) and https://docs.qualifire.ai/. An answer has `evaluationResults[].results[]`, each with `flagged`;
 * where an older server leaves that out, its `status` decides (success or failed).
 * Errors: Error for a status that is not 2xx, and for an answer with neither.
 */
import { type CheckIo, isObject, type JsonObject, type Verdict } from '@gateway/contract'
import { keyOf, nameOf, postForObject, secret, timeoutOf, unreadable, urlOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Qualifire'
const vendorUrl = 'https://proxy.qualifire.ai'

/** The parameters of every check of this vendor. Its models are slow, so the default timeout is longer. */
export const common = {
  timeout: timeoutOf(15_000),
  apiKey: secret('Overrides plugins.settings.qualifire.apiKey.'),
}

export type Mode = 'speed' | 'balanced' | 'quality'

export const mode = Type.Optional(
  Type.Unsafe<Mode>({
    type: 'string',
    enum: ['balanced', 'speed', 'quality'],
    default: 'balanced',
    description: 'Whether the vendor should rather be fast or thorough.',
  }),
)

export type Evaluate = (io: CheckIo, request: JsonObject) => Promise<Verdict>

/** @throws Error if the credential is missing */
export function evaluatorOf(
  { apiKey, timeout }: { apiKey?: string; timeout: number },
  settings: Readonly<JsonObject>,
): Evaluate {
  const key = keyOf('qualifire', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
  const url = `${urlOf('baseUrl', {}, { settings, vendorUrl })}/api/evaluation/evaluate`
  const headers = { 'x-qualifire-api-key': key }
  return async (io, json) => {
    const answer = await postForObject(io, vendor, { url, headers, json, timeoutMs: timeout })
    return verdictOf(answer)
  }
}

function verdictOf({ evaluationResults, status }: JsonObject): Verdict {
  if (!Array.isArray(evaluationResults)) return unreadable(vendor)
  const results = evaluationResults.flatMap((item): JsonObject[] => {
    if (!isObject(item) || !Array.isArray(item.results)) return unreadable(vendor)
    const { type, results: own } = item
    return own.map((result) => (isObject(result) ? { type, ...result } : unreadable(vendor)))
  })
  const areMarked = results.length > 0 && results.every(({ flagged }) => typeof flagged === 'boolean')
  const found = results.filter(({ flagged }) => flagged === true).map(summaryOf)
  if (areMarked) return { verdict: found.length === 0, data: { found } }
  if (status !== 'success' && status !== 'failed') return unreadable(vendor)
  return { verdict: status === 'success' && found.length === 0, data: { found } }
}

/** The vendor's reason, claim and quote are left out, because they may contain the text. */
const summaryOf = ({ type, name, label, score }: JsonObject): JsonObject => ({
  type: nameOf(type),
  name: nameOf(name),
  label: nameOf(label),
  score: typeof score === 'number' ? score : null,
})
