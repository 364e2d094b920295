/**
 * `openai.moderation`: the moderation endpoint classifies each text of the conversation.
 * Reference: https://platform.openai.com/docs/api-reference/moderations/create Not confirmed: the maximum number of
 * texts per call; 32 are sent. Images are not checked.
 * Errors: Error for a status that is not 2xx, for an answer that does not judge every text or lacks one of the
 * categories, and for more texts than eight calls can contain.
 */
import { type Check, type CheckIo, isObject, type Json } from '@gateway/contract'
import { type Filled, keyOf, post, scope, secret, timeoutOf, unreadable, urlOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendorUrl = 'https://api.openai.com/v1'

const categories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const

const parameters = Type.Object(
  {
    categories: Type.Optional(
      Type.Array(Type.Unsafe<(typeof categories)[number]>({ type: 'string', enum: [...categories] }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Which categories a text must not belong to; without it, any at all.',
      }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'omni-moderation-latest',
        description: 'The moderation model. The older ones do not know illicit.',
      }),
    ),
    timeout: timeoutOf(5000),
    scope,
    apiKey: secret('Overrides plugins.settings.openai.apiKey.'),
  },
  { additionalProperties: false },
)

type Parameters = Filled<typeof parameters, 'model' | 'timeout' | 'scope'>

interface Piece {
  /** Null for the texts of the last message, which are judged together. */
  path: string | null
  text: string
}

interface Flagged {
  path: string | null
  categories: string[]
}

/** The most texts that are reported. */
const maxReported = 50

const textsPerCall = 32
const maxCalls = 8

export const moderation: Check<Parameters> = {
  id: 'moderation',
  title: 'OpenAI moderation',
  description: 'Fails when a text belongs to one of the categories. Only the texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ categories: wanted, model, timeout, scope, apiKey }, settings) {
    const key = keyOf('openai', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
    const base = urlOf('baseUrl', {}, { settings, vendorUrl })
    const judge = async (parts: readonly Piece[], io: CheckIo): Promise<Flagged[]> => {
      const answer = await post(io, 'OpenAI', {
        url: `${base}/moderations`,
        headers: { authorization: `Bearer ${key}` },
        json: { model, input: parts.map(({ text }) => text) },
        timeoutMs: timeout,
      })
      return flaggedOf(answer, parts, wanted)
    }
    return {
      async run(input, io) {
        const own: readonly Piece[] = scope === 'last' ? [{ path: null, text: input.lastText }] : input.parts
        const parts = own.filter(({ text }) => text.trim() !== '')
        if (parts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        if (parts.length > textsPerCall * maxCalls)
          throw new Error(`more than ${textsPerCall * maxCalls} texts are too many to be moderated`)
        const starts = Array.from({ length: Math.ceil(parts.length / textsPerCall) }, (_, call) => call)
        const calls = starts.map((call) =>
          judge(parts.slice(call * textsPerCall, (call + 1) * textsPerCall), io),
        )
        const flagged = (await Promise.all(calls)).flat()
        return { verdict: flagged.length === 0, data: { flagged: flagged.slice(0, maxReported) } }
      },
    }
  },
}

function flaggedOf(json: unknown, parts: readonly Piece[], wanted: readonly string[] | undefined): Flagged[] {
  const results = isObject(json) && Array.isArray(json.results) ? json.results : []
  if (results.length !== parts.length) throw new Error('OpenAI did not judge every text')
  return parts.flatMap(({ path }, index) => {
    const found = categoriesOf(results[index], wanted)
    return found.length === 0 ? [] : [{ path, categories: found }]
  })
}

function categoriesOf(result: Json | undefined, wanted: readonly string[] | undefined): string[] {
  if (!isObject(result) || !isObject(result.categories) || typeof result.flagged !== 'boolean')
    return unreadable('OpenAI')
  const judged = result.categories
  const all = Object.keys(judged).filter((name) => judged[name] === true)
  // A category that is newer than the answer's list may have flagged it.
  if (wanted === undefined) return result.flagged ? [...all, ...(all.length === 0 ? ['other'] : [])] : []
  const unknown = wanted.find((name) => typeof judged[name] !== 'boolean')
  if (unknown !== undefined) throw new Error(`the model does not know the category ${unknown}`)
  return all.filter((name) => wanted.includes(name))
}
