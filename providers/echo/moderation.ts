/** Moderation: nothing is flagged; there is one result per input. */
import { isObject, type JsonObject, type ProcedureAnswer, type ProcedureContext } from '@gateway/contract'

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
]

export async function moderate(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const { input } = body
  // The parts of one message have one result; each text of a list has its own.
  const count = Array.isArray(input) && !input.some(isObject) ? input.length : 1
  const result = {
    flagged: false,
    categories: Object.fromEntries(categories.map((name) => [name, false])),
    category_scores: Object.fromEntries(categories.map((name) => [name, 0])),
  }
  return {
    status: 200,
    headers: {},
    body: {
      id: context.id('modr-'),
      model: body.model ?? 'echo-moderation-1',
      results: Array.from({ length: count }, () => result),
    },
    stream: null,
  }
}
