/**
 * The Messages format for Anthropic models (InvokeModel), and their token count. The beta features in a caller's
 * `anthropic-beta` header are sent in the body, as this API requires.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 * Errors: `unsupported_endpoint` for models of other vendors; `upstream_invalid_response`.
 */
import {
  type ChoiceEndpoint,
  type Dialect,
  GatewayError,
  type HttpEndpoint,
  type JsonObject,
  type UpstreamRequest,
} from '@gateway/contract'
import { awsError, messagesDialect, messagesStream, ownMessages, parseObject } from '@gateway/provider-kit'
import { baseModel, modelOf, modelPath } from './address.ts'
import { invokeFraming, withExceptions } from './invoke-stream.ts'

const version = 'bedrock-2023-05-31'
const betaHeader = 'anthropic-beta'
/** A token count requires a complete message request; its token limit does not affect the count. */
const anyMaxTokens = 1024

/** The path contains the model and selects streaming. */
function invokeBody(body: JsonObject): JsonObject {
  const { model: _model, stream: _stream, ...message } = ownMessages(body)
  return { anthropic_version: version, ...message }
}

const dialect: Dialect = {
  ...messagesDialect,
  name: 'bedrock-messages',
  request: invokeBody,
  stream: () => withExceptions(messagesStream()),
  framing: invokeFraming,
  error: awsError,
}

const countDialect: Dialect = {
  name: 'bedrock-count-tokens',
  request: (body) => {
    const message = JSON.stringify({ max_tokens: boundOf(body), ...invokeBody(body) })
    return { input: { invokeModel: { body: Buffer.from(message, 'utf8').toString('base64') } } }
  },
  answer: ({ inputTokens }) => {
    if (typeof inputTokens === 'number') return { input_tokens: inputTokens }
    throw new GatewayError('upstream_invalid_response', 'The provider returned no token count.')
  },
  error: awsError,
}

/** It must exceed the thinking budget. */
function boundOf({ thinking }: JsonObject): number {
  const budget = thinking !== null && typeof thinking === 'object' && 'budget_tokens' in thinking
  const tokens = budget ? thinking.budget_tokens : 0
  return anyMaxTokens + (typeof tokens === 'number' ? tokens : 0)
}

const streamType = 'application/vnd.amazon.eventstream'

const messagesEndpoint: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: (body) => modelPath(modelOf(body), body.stream === true ? 'invoke-with-response-stream' : 'invoke'),
  headers: (body) => ({ accept: body.stream === true ? streamType : 'application/json' }),
  dialect,
}

/** Cross-region profiles do not support token counts; their model does. */
const countEndpoint: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  path: (body) => modelPath(baseModel(modelOf(body)), 'count-tokens'),
  dialect: countDialect,
}

const forAnthropic = (endpoint: HttpEndpoint): ChoiceEndpoint => ({
  kind: 'choice',
  passes: [betaHeader],
  choose(body, _settings, baseModel) {
    if (/anthropic\.|claude/.test(baseModel ?? modelOf(body))) return { ...endpoint, passes: [betaHeader] }
    throw new GatewayError(
      'unsupported_endpoint',
      'bedrock: this model does not support the Messages format.',
    )
  },
})

export const messages = forAnthropic(messagesEndpoint)
export const countTokens = forAnthropic(countEndpoint)

/** The request with the beta features of its header in its body. */
export function withBetas(request: UpstreamRequest): UpstreamRequest {
  const { [betaHeader]: named, ...headers } = request.headers
  if (named === undefined) return request
  const body = typeof request.body === 'string' ? parseObject(request.body) : null
  if (body === null || body.anthropic_version === undefined) return { ...request, headers }
  const betas = named.split(',').flatMap((beta) => beta.trim() || [])
  const own = Array.isArray(body.anthropic_beta) ? body.anthropic_beta : []
  const all = [...own, ...betas.filter((beta) => !own.includes(beta))]
  return { ...request, headers, body: JSON.stringify({ ...body, anthropic_beta: all }) }
}
