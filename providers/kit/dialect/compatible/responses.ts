/**
 * `/responses` for providers with their own Responses API: create, retrieve, delete and list the input, forwarded
 * unchanged. For calls about an existing response the body is the gateway's: `{response_id, …query}`.
 * Reference: https://platform.openai.com/docs/api-reference/responses
 */
import {
  carriedMark,
  type Dialect,
  type EndpointId,
  type HttpEndpoint,
  isObject,
  type Json,
  type JsonObject,
  type ProviderSettings,
} from '@gateway/contract'
import { acceptedId, sixtyFourCharacters } from '../../chat/tool-call-ids.ts'
import { textOf } from '../../chat/values.ts'
import { pathSegment } from '../../path-segment.ts'
import { compatibleError } from './errors.ts'

/** Forwards bodies and events unchanged. */
export const responsesDialect: Dialect = {
  name: 'compatible-responses',
  request: ownInput,
  answer: (body) => body,
  stream: 'same',
  error: compatibleError,
}

/** Drops reasoning of another provider, which this one cannot read, and replaces ids that are too long for it. */
function ownInput(body: JsonObject): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some((item) => isCarried(item) || hasLongId(item))) return body
  return { ...body, input: input.filter((item) => !isCarried(item)).map(withAcceptedId) }
}

const hasLongId = (item: Json): boolean =>
  isObject(item) && typeof item.call_id === 'string' && !sixtyFourCharacters.accepted.test(item.call_id)

const withAcceptedId = (item: Json): Json =>
  isObject(item) && hasLongId(item)
    ? { ...item, call_id: acceptedId(textOf(item.call_id), sixtyFourCharacters) }
    : item

function isCarried(item: Json): boolean {
  if (!isObject(item) || item.type !== 'reasoning') return false
  const { encrypted_content: content } = item
  return typeof content === 'string' && content.startsWith(carriedMark)
}

/** Maps a path of the format to the provider's, such as below another version. */
export type PlacePath = (path: string, body: JsonObject, settings: ProviderSettings) => string

/** The endpoints of responses; their paths are those of the format below the base URL, unless `place` maps them. */
export function responsesEndpoints(
  place: PlacePath = (path) => path,
  dialect: Dialect = responsesDialect,
): Partial<Record<EndpointId, HttpEndpoint>> {
  const about = (method: HttpEndpoint['method'], path: string, query: readonly string[]): HttpEndpoint => ({
    kind: 'http',
    method,
    path: (body, settings) => {
      const id = pathSegment(body.response_id, '/response_id', settings.provider)
      return withQuery(place(`/responses/${id}${path}`, body, settings), queryOf(body, query))
    },
    dialect,
  })
  const posted = (path: string): HttpEndpoint => ({
    kind: 'http',
    method: 'POST',
    path: (body, settings) => place(path, body, settings),
    dialect,
  })
  return {
    createModelResponse: posted('/responses'),
    countResponseTokens: posted('/responses/input_tokens'),
    compactResponse: posted('/responses/compact'),
    getModelResponse: about('GET', '', ['include', 'include_obfuscation', 'starting_after', 'stream']),
    deleteModelResponse: about('DELETE', '', []),
    listResponseInputItems: about('GET', '/input_items', ['after', 'before', 'include', 'limit', 'order']),
  }
}

/** A list is repeated in the query, once per member. */
export function queryOf(body: JsonObject, names: readonly string[]): string {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = body[name]
    if (Array.isArray(value)) for (const member of value) query.append(`${name}[]`, String(member))
    else if (value !== undefined && value !== null) query.append(name, String(value))
  }
  return query.toString()
}

export function withQuery(path: string, query: string): string {
  if (query === '') return path
  return path + (path.includes('?') ? '&' : '?') + query
}
