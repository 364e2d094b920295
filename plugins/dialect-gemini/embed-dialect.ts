/**
 * `embedContent` and `batchEmbedContents` → one embeddings request. `taskType` and `title` have no equivalent and are
 * left out.
 * Reference: https://ai.google.dev/api/embeddings
 * Errors: `invalid_body` for contents other than text, and for requests in a batch with different
 * `outputDimensionality`.
 */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type BodyDialect, count, type DialectContext, eachBlock, refuse } from '@gateway/contract/dialect'

const members: ReadonlySet<string> = new Set([
  'model',
  'content',
  'requests',
  'taskType',
  'title',
  'outputDimensionality',
])

const isBatch = ({ requests }: JsonObject): boolean => Array.isArray(requests)

export const embedDialect: BodyDialect = {
  needsExtras: false,
  members,
  request(body, context) {
    const asked: [JsonObject, string][] = isBatch(body) ? eachBlock(body.requests, '/requests') : [[body, '']]
    const inputs = asked.map(([request, path]) => inputOf(request, path, context))
    const [first] = asked
    const size = first?.[0].outputDimensionality
    const other = asked.find(([request]) => request.outputDimensionality !== size)
    if (other !== undefined)
      throw refuse(context, `${other[1]}/outputDimensionality`, 'must be the same in all requests')
    return {
      model: body.model,
      input: isBatch(body) ? inputs : (inputs[0] ?? ''),
      ...(typeof size === 'number' ? { dimensions: size } : {}),
    }
  },
  answer(body, { request }) {
    const rows = Array.isArray(body.data) ? body.data.filter(isObject) : []
    const vectors = rows
      .toSorted((left, right) => count(left.index) - count(right.index))
      .map(({ embedding }) => ({ values: embedding }))
    const [first] = vectors
    if (first === undefined)
      throw new GatewayError(
        'upstream_invalid_response',
        'The provider returned an answer without embeddings.',
      )
    const tokens = isObject(body.usage) ? count(body.usage.prompt_tokens) : 0
    const usage = tokens === 0 ? {} : { usageMetadata: { promptTokenCount: tokens, totalTokenCount: tokens } }
    return isBatch(request) ? { embeddings: vectors, ...usage } : { embedding: first, ...usage }
  },
}

function inputOf(request: JsonObject, path: string, context: DialectContext): Json {
  for (const name of ['taskType', 'title'] as const)
    if (typeof request[name] === 'string' && request[name] !== '') context.leftOut.push(`${path}/${name}`)
  const parts = isObject(request.content) ? eachBlock(request.content.parts, `${path}/content/parts`) : []
  return parts
    .map(([{ text }, at]) => {
      if (typeof text !== 'string') throw refuse(context, at, 'only text can be translated')
      return text
    })
    .join('\n')
}
