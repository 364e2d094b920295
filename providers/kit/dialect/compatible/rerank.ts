/**
 * The unified rerank call as a dialect. The specification's body goes out; the answer is read in the shapes
 * that rerank services share (`results` or `data`; `relevance_score` or `score`; `document` as text or object)
 * and comes back sorted by score. Raises `upstream_invalid_response` for an answer without results.
 */
import {
  type CallContext,
  type Dialect,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/core/contract'
import { compatibleError } from './errors.ts'
import { type BodyRules, reshape } from './reshape.ts'

export interface RerankRules extends BodyRules {
  /** Object documents are sent as their `text`, for a provider that takes strings only. */
  documentsAsText?: boolean
}

/** The rerank dialect of a provider with these rules. */
export function rerankDialect(rules: RerankRules = {}): Dialect {
  return {
    name: 'compatible-rerank',
    request(body, context) {
      const sent = reshape(withoutPrefix(body, context.settings.provider), rules)
      if (rules.documentsAsText !== true || !Array.isArray(sent.documents)) return sent
      return { ...sent, documents: sent.documents.map(documentText) }
    },
    answer: rerankAnswer,
    error: compatibleError,
  }
}

/** A provider prefix on the model (`jina/…`) is the gateway's, not the provider's. */
function withoutPrefix(body: JsonObject, provider: string): JsonObject {
  const prefix = `${provider}/`
  if (typeof body.model !== 'string' || !body.model.startsWith(prefix)) return body
  return { ...body, model: body.model.slice(prefix.length) }
}

function rerankAnswer(body: JsonObject, context: CallContext): JsonObject {
  const rows = Array.isArray(body.results) ? body.results : body.data
  if (!Array.isArray(rows)) {
    throw new GatewayError('upstream_invalid_response', 'The rerank answer holds no results.')
  }
  const results = rows
    .filter(isObject)
    .map((row, position) => rerankResult(row, position, context.request))
    .sort((one, other) => other.relevance_score - one.relevance_score)
  const usage = isObject(body.usage) ? body.usage : {}
  return {
    object: 'list',
    id: typeof body.id === 'string' ? body.id : context.id('rerank-'),
    model: typeof body.model === 'string' ? body.model : context.request.model,
    provider: context.settings.provider,
    usage: { ...usage, search_units: typeof usage.search_units === 'number' ? usage.search_units : 0 },
    results,
  }
}

interface RerankResult extends JsonObject {
  index: number
  relevance_score: number
}

function rerankResult(row: JsonObject, position: number, request: JsonObject): RerankResult {
  const index = typeof row.index === 'number' ? row.index : position
  const score = typeof row.relevance_score === 'number' ? row.relevance_score : row.score
  const result: RerankResult = { index, relevance_score: typeof score === 'number' ? score : 0 }
  if (request.return_documents !== true) return result
  const given = Array.isArray(request.documents) ? request.documents[index] : undefined
  return { ...result, document: documentObject(row.document ?? given) }
}

function documentObject(document: Json | undefined): JsonObject {
  return isObject(document) ? document : { text: documentText(document) }
}

function documentText(document: Json | undefined): string {
  if (isObject(document)) return typeof document.text === 'string' ? document.text : JSON.stringify(document)
  return typeof document === 'string' ? document : ''
}
