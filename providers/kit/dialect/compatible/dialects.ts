/**
 * The compatible wire format: one dialect per endpoint. Bodies and events are forwarded unchanged (the same objects,
 * the same bytes); only members in a provider's rules are renamed, dropped or read elsewhere.
 * Reference: https://platform.openai.com/docs/api-reference
 * Errors: {@link UpstreamFault} for an answer with status 200 that reports a failure.
 */
import {
  type CallContext,
  type Dialect,
  type InferenceEndpoint,
  isObject,
  type Json,
  type JsonObject,
} from '@gateway/contract'
import { replacedIds, withCallersIds } from '../../chat/tool-call-ids.ts'
import { inBase64, withPromptTokens } from './embedding.ts'
import { compatibleError } from './errors.ts'
import { throwFailure } from './failure.ts'
import { mapFinishReasons } from './finish-reasons.ts'
import { type ImageRules, imageAnswer, imageRequest } from './image.ts'
import { idsFor, reshapeIds } from './messages.ts'
import { withoutNulls } from './nulls.ts'
import { type OwnMemberRules, withoutOwnMembers } from './own-members.ts'
import { type RefusalRules, refuseFields } from './refuse.ts'
import { type RerankRules, rerankDialect } from './rerank.ts'
import { type BodyRules, reshape } from './reshape.ts'
import { compatibleStream, needsTranslation, type StreamRules } from './stream.ts'
import { asTextCompletion } from './text-answer.ts'
import { withToolTypes } from './tool-types.ts'

/** The differences of one endpoint of a provider. */
export interface EndpointRules
  extends BodyRules,
    RefusalRules,
    RerankRules,
    StreamRules,
    ImageRules,
    OwnMemberRules {
  /** The usage of an embedding call is one total, which counts as input. */
  usageIsTotal?: boolean
  /** Models that refuse `max_tokens` and accept only `max_completion_tokens`. */
  countsReasoning?: RegExp
}

/**
 * The dialect of an endpoint for a provider with these rules.
 * @param parameters chat parameters that the provider defines in addition to those that all chat APIs share
 */
export function compatibleDialect(
  endpoint: InferenceEndpoint,
  rules: EndpointRules = {},
  parameters: readonly string[] = [],
): Dialect {
  if (endpoint === 'rerank') return rerankDialect(rules)
  const dialect = plainDialect(endpoint, rules)
  if (endpoint !== 'chatComplete') return dialect
  return { ...dialect, parameters: rules.thinking === undefined ? parameters : ['thinking', ...parameters] }
}

const names: Record<InferenceEndpoint, string> = {
  chatComplete: 'compatible-chat',
  complete: 'compatible-completion',
  embed: 'compatible-embedding',
  imageGenerate: 'compatible-image',
  rerank: 'compatible-rerank',
}

/**
 * At a provider that does not define `thinking` itself, it needs `strict_compat_compliance: false`; under strict
 * compliance it is dropped, not refused.
 */
const strictRules: BodyRules = { drops: ['thinking'] }

function plainDialect(endpoint: InferenceEndpoint, rules: EndpointRules): Dialect {
  const isChat = endpoint === 'chatComplete'
  const { toolCallIds, defines, countsReasoning, ...others } = rules
  const hasRules = Object.keys(others).length > 0
  const dialect: Dialect = {
    name: names[endpoint],
    request(asked, context) {
      const limited = asked.max_tokens === undefined ? asked : withCompletionLimit(asked, countsReasoning)
      const given = isChat && !isPlainChat(limited) ? chatRequest(withToolTypes(limited), rules) : limited
      // Applied to every call of most providers.
      if (!hasRules && (!isChat || given.thinking === undefined)) return given
      const body = hasRules ? withoutNulls(given, endpoint) : given
      refuseFields(body, rules, context.settings.provider)
      const isOwn = rules.thinking === 'own'
      const isDropped = isChat && context.strict && body.thinking !== undefined && !isOwn
      return reshape(imageRequest(isDropped ? reshape(body, strictRules) : body, rules), rules)
    },
    answer: (body, context) => plainAnswer(body, rules, context),
    error: compatibleError,
  }
  if (endpoint !== 'chatComplete' && endpoint !== 'complete') return dialect
  return {
    ...dialect,
    stream: needsTranslation(rules) ? (context) => compatibleStream(rules, context) : 'same',
  }
}

/** The body with the limit under the name that its model takes; the same object for other models. */
function withCompletionLimit(body: JsonObject, models: RegExp | undefined): JsonObject {
  if (models === undefined || !models.test(String(body.model))) return body
  const { max_tokens, ...rest } = body
  return isMissing(rest.max_completion_tokens) && !isMissing(max_tokens)
    ? { ...rest, max_completion_tokens: max_tokens }
    : rest
}

const isMissing = (value: Json | undefined): boolean => value === undefined || value === null

/** Whether a chat has only roles and contents: no tools, no calls, none of the gateway's own members. */
function isPlainChat({ messages, tools, tool_choice: choice }: JsonObject): boolean {
  if (tools !== undefined || choice !== undefined) return false
  return !Array.isArray(messages) || messages.every(isPlainMessage)
}

const isPlainMessage = (message: Json): boolean =>
  !isObject(message) ||
  (message.tool_calls === undefined &&
    message.tool_call_id === undefined &&
    message.function_call === undefined &&
    message.content_blocks === undefined &&
    message.extra_content === undefined)

/** Removes members that only other providers understand: the gateway's own members, and ids of tool calls. */
function chatRequest(body: JsonObject, rules: EndpointRules): JsonObject {
  const own = withoutOwnMembers(body, rules)
  const ids = rules.toolCallIds === undefined ? null : idsFor(body, rules)
  return ids === null ? own : reshapeIds(own, ids)
}

function plainAnswer(body: JsonObject, rules: EndpointRules, context: CallContext): JsonObject {
  if (rules.failure !== undefined || !Array.isArray(body.choices)) throwFailure(body, rules)
  if (rules.images !== undefined) return imageAnswer(body, rules, context)
  const counted = rules.usageIsTotal === true ? withPromptTokens(body) : body
  const mapped =
    rules.finishReasons === undefined
      ? counted
      : mapFinishReasons(counted, rules.finishReasons, context.strict)
  const mayRepeatIds = rules.toolCallIds !== undefined && !isPlainChat(context.request)
  const ids = mayRepeatIds ? idsFor(context.request, rules) : null
  const named = ids === null ? mapped : withCallersIds(mapped, replacedIds(context.request, ids))
  const answer = rules.answersAsChat === true ? asTextCompletion(named) : named
  return context.request.encoding_format === 'base64' ? inBase64(answer, context.request) : answer
}
