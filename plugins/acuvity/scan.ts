/**
 * `acuvity.scan`: Acuvity's detectors check every text; personal data and secrets can be masked.
 * Reference: `POST {apex}/_acuvity/scan` of https://github.com/acuvity/api-go (apex/openapi3); the credential is an app
 * token, a JWT that names the apex URL of its account in `opaque.apex-url`. Not confirmed without the vendor: that an
 * answer has one extraction for each message, in their order. If it has fewer, or more when masking is requested, the
 * check fails with an error.
 * Errors: Error for a status that is not 2xx, and for an answer that cannot be read.
 */
import { type Check, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import {
  type Change,
  keyOf,
  nameOf,
  postForObject,
  replacementOf,
  textsOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { kindsOf, scoredDetectors, scoreOf } from './detectors.ts'
import { parameters, type ScanParameters } from './parameters.ts'

/** A detector's findings in a text, before applying its threshold. */
interface Found {
  detector: string
  path: string | null
  score?: number
  kinds?: string[]
  redacted?: boolean
}

/** The maximum number of reported findings. */
const maxReported = 50

export const scan: Check<ScanParameters> = {
  id: 'scan',
  title: 'Acuvity scan',
  description:
    'Fails when a detector that is turned on finds something. The texts are sent to the vendor, each apart. ' +
    'A redaction leaves the verdict true when there is nothing else.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare(given, settings) {
    const key = keyOf('acuvity', { key: 'apiKey', url: 'baseUrl' }, { parameters: given, settings })
    const url = `${accountOf(key, given.apiKey === undefined ? settings : {})}/_acuvity/scan`
    const headers = { authorization: `Bearer ${key}` }
    const redactions = redactionsOf(given)
    return {
      transforms: redactions.length > 0,
      async run(input, io) {
        const texts = textsOf(input, given.scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const json = {
          messages: texts.map(({ text }) => text),
          type: input.phase === 'before' ? 'Input' : 'Output',
          anonymization: 'FixedSize',
          redactions,
        }
        const answer = await postForObject(io, 'Acuvity', { url, headers, json, timeoutMs: given.timeout })
        const extractions = extractionsOf(answer, texts.length, redactions.length > 0)
        const found = extractions.flatMap((extraction, index) => findIn(extraction, texts[index], given))
        const masked = redactions.length === 0 ? [] : maskedTexts(extractions, texts)
        const { transformed, isWhole } = replacementOf(masked)
        return {
          verdict: found.every(({ redacted }) => redacted === true) && isWhole,
          data: { found: found.slice(0, maxReported) },
          transformed,
        }
      },
    }
  },
}

/**
 * The address of a token's account. A caller's own token is sent to the account of that token.
 * @throws Error if neither the settings nor the token specify it
 */
function accountOf(token: string, settings: Readonly<JsonObject>): string {
  const apex = apexUrlOf(token)
  if (settings.baseUrl === undefined && apex === '')
    throw new Error('the apiKey names no account: set plugins.settings.acuvity.baseUrl')
  return urlOf('baseUrl', {}, { settings, vendorUrl: apex })
}

/** The address in a token; empty if the token has none. */
function apexUrlOf(token: string): string {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    const apex = isObject(payload) && isObject(payload.opaque) ? payload.opaque['apex-url'] : undefined
    if (typeof apex !== 'string') return ''
    return apex.includes('://') ? apex : `https://${apex}`
  } catch {
    return ''
  }
}

/** @throws Error for a combination that would pass every text */
function redactionsOf(given: ScanParameters): string[] {
  const flags = [...scoredDetectors.map(({ flag }) => flag), 'language', 'pii', 'secrets'] as const
  if (!flags.some((flag) => given[flag])) throw new Error('no detector is turned on')
  if (given.language && given.language_values === undefined) throw new Error('language needs language_values')
  return (['pii', 'secrets'] as const).flatMap((flag) => {
    if (!given[`${flag}_redact`]) return []
    if (!given[flag]) throw new Error(`${flag}_redact needs ${flag}`)
    const kinds = given[`${flag}_categories`]
    if (kinds.length === 0) throw new Error(`${flag}_redact needs ${flag}_categories`)
    return kinds
  })
}

function extractionsOf(answer: JsonObject, count: number, exactly: boolean): JsonObject[] {
  const { extractions } = answer
  if (!Array.isArray(extractions) || !extractions.every(isObject)) return unreadable('Acuvity')
  if (extractions.length < count || (exactly && extractions.length > count))
    throw new Error(`Acuvity looked at ${extractions.length} texts instead of ${count}`)
  return extractions
}

function findIn(extraction: JsonObject, part: TextPart | undefined, given: ScanParameters): Found[] {
  const path = part?.path ?? null
  const scored = scoredDetectors.flatMap(({ flag, maps, names }): Found[] => {
    const score = given[flag] ? scoreOf(extraction, maps, names) : null
    return score !== null && score >= given[`${flag}_threshold`] ? [{ detector: flag, path, score }] : []
  })
  const unwanted = given.language ? [given.language_values ?? []].flat() : []
  const spoken = scoreOf(extraction, ['languages'], unwanted)
  const language: Found[] =
    spoken !== null && spoken >= languageThreshold ? [{ detector: 'language', path, score: spoken }] : []
  const listed = (['pii', 'secrets'] as const).flatMap((flag): Found[] => {
    const of = flag === 'pii' ? 'PIIs' : 'secrets'
    const kinds = given[flag] ? kindsOf(extraction, of, given[`${flag}_categories`]) : []
    const redacted = given[`${flag}_redact`] && part !== undefined && isMasked(extraction, part)
    const names = kinds.map((kind) => nameOf(kind) ?? 'other')
    return kinds.length === 0 ? [] : [{ detector: flag, path, kinds: names, redacted }]
  })
  return [...scored, ...language, ...listed]
}

/** The vendor's own "medium": below it, a language is a guess. */
const languageThreshold = 0.5

const isMasked = ({ data }: JsonObject, { text }: TextPart): boolean =>
  typeof data === 'string' && data !== text

function maskedTexts(extractions: readonly JsonObject[], texts: readonly TextPart[]): Change[] {
  return texts.flatMap(({ path, text }, index) => {
    const data = extractions[index]?.data
    return typeof data === 'string' && data !== text ? [{ path, before: text, after: data }] : []
  })
}
