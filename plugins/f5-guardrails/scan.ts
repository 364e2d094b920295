/**
 * `f5-guardrails.scan`: the scanners of F5 AI Guardrails (formerly CalypsoAI) check each text separately.
 * Reference: `POST /backend/v1/scans`, https://docs.aisecurity.f5.com/api-docs/; the answer's outcome is one of cleared,
 * flagged, redacted and blocked. To redact, the check sends `flagOnly: false`. The vendor then distinguishes texts that
 * it masked (redacted) from texts to block, so a prompt injection is still blocked in a text with a masked number.
 * Not confirmed without the vendor: that scanners in the mode "redact" give the outcome redacted.
 * Errors: Error for a status that is not 2xx, and for an answer without one of these outcomes.
 */
import { type Check, type CheckIo, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import {
  address,
  type Change,
  eachText,
  type Filled,
  keyOf,
  postForObject,
  replacementOf,
  scope,
  secret,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'F5 AI Guardrails'
const vendorUrl = 'https://us1.calypsoai.app'

const parameters = Type.Object(
  {
    redact: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Puts the vendor’s masked texts in place; the verdict is then true, unless more was found.',
      }),
    ),
    projectId: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]+$',
        description: 'The project whose scanners run. Absent: those of the token.',
      }),
    ),
    scope,
    timeout: timeoutOf(5000),
    apiKey: secret('Overrides plugins.settings.f5-guardrails.apiKey.'),
    calypsoUrl: address(`Default: ${vendorUrl}. Requires apiKey as well.`),
  },
  { additionalProperties: false },
)

const outcomes = ['cleared', 'flagged', 'redacted', 'blocked'] as const

interface Scanned {
  path: string
  text: string
  outcome: (typeof outcomes)[number]
  /** The number of scanners that the text failed. */
  failed: number
  masked: string | null
}

export const scan: Check<Filled<typeof parameters, 'redact' | 'scope' | 'timeout'>> = {
  id: 'scan',
  title: 'F5 AI Guardrails scan',
  description:
    'Fails when a scanner flags or blocks a text. Each text is sent to the vendor in a separate call.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ redact, projectId, scope, timeout, ...given }, settings) {
    const names = { key: 'apiKey', url: 'calypsoUrl' }
    const key = keyOf('f5-guardrails', names, { parameters: given, settings })
    const url = urlOf('calypsoUrl', given, { settings, vendorUrl })
    const call = {
      url: `${url}/backend/v1/scans`,
      headers: { authorization: `Bearer ${key}` },
      timeoutMs: timeout,
    }
    return {
      transforms: redact,
      async run(input, io) {
        const texts = textsOf(input, scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const direction = input.phase === 'after' ? { scanDirection: 'response' } : {}
        const fixed = { ...direction, project: projectId, ...(redact ? { flagOnly: false } : {}) }
        const ask = ({ text }: TextPart, own: CheckIo) =>
          postForObject(own, vendor, { ...call, json: { input: text, ...fixed } })
        const scanned = await eachText(texts, io, async (part, own) => read(await ask(part, own), part))
        const passes = ({ outcome }: Scanned) => outcome === 'cleared' || (redact && outcome === 'redacted')
        const masked = redact ? scanned.filter(({ outcome }) => outcome === 'redacted') : []
        const { transformed, isWhole } = replacementOf(masked.map(changeOf))
        return {
          verdict: scanned.every(passes) && isWhole,
          data: { found: scanned.filter(({ outcome }) => outcome !== 'cleared').map(summaryOf) },
          transformed,
        }
      },
    }
  },
}

function read({ result, redactedInput }: JsonObject, { path, text }: TextPart): Scanned {
  if (!isObject(result)) return unreadable(vendor)
  const outcome = outcomes.find((known) => known === result.outcome) ?? unreadable(vendor)
  const results = Array.isArray(result.scannerResults) ? result.scannerResults : []
  const failed = results.filter((scanner) => isObject(scanner) && scanner.outcome === 'failed').length
  return { path, text, outcome, failed, masked: typeof redactedInput === 'string' ? redactedInput : null }
}

const summaryOf = ({ path, outcome, failed }: Scanned): JsonObject => ({
  path,
  outcome,
  failedScanners: failed,
})

const changeOf = ({ path, text, masked }: Scanned): Change => ({
  path,
  before: text,
  after: masked ?? unreadable(vendor),
})
