/**
 * The unified rerank call as a dialect. The specification's body is converted by the provider's rules; the answer is
 * parsed in the formats of different rerank services (`results` or `data`; `relevance_score` or `score`; `document`
 * as text or object) and returned sorted by score.
 * Errors: `upstream_invalid_response` for an answer without results.
 */
import {
  type CallContext,
  type Dialect,
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { compatibleError } from './errors.ts'
import { withoutNulls } from './nulls.ts'
import { documentObject, textDocuments, withRecords } from './rerank-documents.ts'
import { type BodyRules, reshape } from './reshape.ts'

export interface RerankRules extends BodyRules {
  /** Object documents are sent as their `text` (or their `rank_fields`), for a provider that accepts only strings. */
  documentsAsText?: boolean
  /** Documents are sent as objects with an `id`: by default their index. */
  documentsAsRecords?: boolean
  /** Maps a unified name to a name within the provider's `parameters`; a boolean becomes `END` or `NONE`. */
  parameters?: Readonly<Record<string, string>>
  /** The member of the answer with the billed search units; default `usage.search_units`. */
  searchUnitsAt?: readonly string[]
}

/** The rerank dialect of a provider with these rules. */
export function rerankDialect(rules: RerankRules = {}): Dialect {
  return {
    name: 'compatible-rerank',
    request(given, context) {
      const body = Object.keys(rules).length > 0 ? withoutNulls(given, 'rerank') : given
      const named = withoutPrefix(body, context.settings.provider)
      const documented = rules.documentsAsText === true ? textDocuments(named) : named
      const recorded = rules.documentsAsRecords === true ? withRecords(documented) : documented
      return reshape(withParameters(recorded, rules.parameters ?? {}), rules)
    },
    answer: (body, context) => rerankAnswer(body, rules, context),
    error: compatibleError,
  }
}

/** A provider prefix on the model (`jina/…`) is for the gateway and is removed. */
function withoutPrefix(body: JsonObject, provider: string): JsonObject {
  const prefix = `${provider}/`
  if (typeof body.model !== 'string' || !body.model.startsWith(prefix)) return body
  return { ...body, model: body.model.slice(prefix.length) }
}

function withParameters(body: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const given = Object.keys(names).filter((name) => body[name] !== undefined && body[name] !== null)
  if (given.length === 0) return body
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !given.includes(name)))
  const moved = given.map((name) => [names[name] ?? name, parameterOf(body[name])])
  const own = isObject(body.parameters) ? body.parameters : {}
  return { ...rest, parameters: { ...Object.fromEntries(moved), ...own } }
}

function parameterOf(value: Json | undefined): Json | undefined {
  if (typeof value !== 'boolean') return value
  return value ? 'END' : 'NONE'
}

function rerankAnswer(body: JsonObject, rules: RerankRules, context: CallContext): JsonObject {
  const rows = Array.isArray(body.results) ? body.results : body.data
  if (!Array.isArray(rows)) {
    throw new GatewayError('upstream_invalid_response', 'The rerank answer contains no results.')
  }
  const results = rows
    .filter(isObject)
    .map((row, position) => rerankResult(row, position, { rules, request: context.request }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
  const usage = isObject(body.usage) ? body.usage : {}
  return {
    object: 'list',
    id: typeof body.id === 'string' ? body.id : context.id('rerank-'),
    model: typeof body.model === 'string' ? body.model : context.request.model,
    provider: context.settings.provider,
    usage: { ...usage, search_units: searchUnits(body, rules) },
    results,
  }
}

/** 0 for a provider that bills tokens. */
function searchUnits(body: JsonObject, { searchUnitsAt = ['usage', 'search_units'] }: RerankRules): number {
  let value: Json | undefined = body
  for (const name of searchUnitsAt) value = isObject(value) ? value[name] : undefined
  return typeof value === 'number' ? value : 0
}

interface RerankResult extends JsonObject {
  index: number
  relevance_score: number
}

function rerankResult(
  row: JsonObject,
  position: number,
  { rules, request }: { rules: RerankRules; request: JsonObject },
): RerankResult {
  const index = typeof row.index === 'number' ? row.index : position
  const score = typeof row.relevance_score === 'number' ? row.relevance_score : row.score
  const result: RerankResult = { index, relevance_score: typeof score === 'number' ? score : 0 }
  if (request.return_documents !== true) return result
  const given = Array.isArray(request.documents) ? request.documents[index] : undefined
  // A returned record has a generated id that the caller did not send.
  const document = rules.documentsAsRecords === true ? (given ?? row.document) : (row.document ?? given)
  return { ...result, document: documentObject(document) }
}
