/**
 * `mistral.moderateContent`: the moderation endpoint classifies each text of the conversation. The endpoint
 * for chats is not used, because it classifies only the last turn.
 * Reference: https://docs.mistral.ai/api/endpoint/classifiers (POST /v1/moderations),
 * https://docs.mistral.ai/studio/safety-moderation (the categories) Not confirmed: the spelling of the newer model's
 * categories `dangerous`, `criminal` and `jailbreaking`, whether they replace `dangerous_and_criminal_content`, and the
 * maximum number of texts per call.
 * Errors: Error for a status that is not 2xx, and for an answer that does not judge every text in every category.
 */
import { type Check, isObject, type Json } from '@gateway/contract'
import { type Filled, keyOf, post, scope, secret, timeoutOf, urlOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendorUrl = 'https://api.mistral.ai/v1'

const usual = [
  'sexual',
  'hate_and_discrimination',
  'violence_and_threats',
  'dangerous_and_criminal_content',
  'selfharm',
  'health',
  'financial',
  'law',
  'pii',
] as const
const newer = ['dangerous', 'criminal', 'jailbreaking'] as const
const categories = [...usual, ...newer]

/** The names that a category has in one model or the other. */
const heirs: Readonly<Record<string, readonly string[]>> = {
  dangerous_and_criminal_content: ['dangerous_and_criminal_content', 'dangerous', 'criminal'],
}

const parameters = Type.Object(
  {
    categories: Type.Optional(
      Type.Array(Type.Unsafe<(typeof categories)[number]>({ type: 'string', enum: categories }), {
        minItems: 1,
        uniqueItems: true,
        default: [...usual],
        description: 'Which categories a text must not belong to.',
      }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'mistral-moderation-latest',
        description: 'The moderation model.',
      }),
    ),
    timeout: timeoutOf(5000),
    scope,
    apiKey: secret('Overrides plugins.settings.mistral.apiKey.'),
  },
  { additionalProperties: false },
)

export const moderateContent: Check<Filled<typeof parameters, 'categories' | 'model' | 'timeout' | 'scope'>> =
  {
    id: 'moderateContent',
    title: 'Mistral moderation',
    description: 'Fails when a text belongs to one of the categories. Only the texts are sent to the vendor.',
    kind: 'guardrail',
    phases: ['before', 'after'],
    parameters,
    prepare({ categories: wanted, model, timeout, scope, apiKey }, settings) {
      const key = keyOf('mistral', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
      const base = urlOf('baseUrl', {}, { settings, vendorUrl })
      return {
        async run(input, io) {
          const own: readonly Piece[] =
            scope === 'last' ? [{ path: null, text: input.lastText }] : input.parts
          const parts = own.filter(({ text }) => text.trim() !== '')
          if (parts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
          const answer = await post(io, 'Mistral', {
            url: `${base}/moderations`,
            headers: { authorization: `Bearer ${key}` },
            json: { model, input: parts.map(({ text }) => text) },
            timeoutMs: timeout,
          })
          const flagged = flaggedOf(answer, parts, wanted)
          return { verdict: flagged.length === 0, data: { flagged: flagged.slice(0, maxReported) } }
        },
      }
    },
  }

/** The most texts that are reported. */
const maxReported = 50

interface Piece {
  /** Null for the texts of the last message, which are judged together. */
  path: string | null
  text: string
}

function flaggedOf(json: unknown, parts: readonly Piece[], wanted: readonly string[]) {
  const results = isObject(json) && Array.isArray(json.results) ? json.results : []
  if (results.length !== parts.length) throw new Error('Mistral did not judge every text')
  return parts.flatMap(({ path }, index) => {
    const found = wanted.filter((name) => isFlagged(results[index], name))
    return found.length === 0 ? [] : [{ path, categories: found }]
  })
}

function isFlagged(result: Json | undefined, category: string): boolean {
  const judged = isObject(result) && isObject(result.categories) ? result.categories : {}
  const flags = (heirs[category] ?? [category])
    .map((name) => judged[name])
    .filter((flag) => typeof flag === 'boolean')
  if (flags.length === 0) throw new Error(`Mistral did not judge the category ${category}`)
  return flags.includes(true)
}
