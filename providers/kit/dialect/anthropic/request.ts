/**
 * Converts a chat completion request to a Messages request. Unsupported parameters are dropped (`seed`, `logit_bias`,
 * `logprobs`, penalties, …), or refused if dropping them would change the meaning: several choices, audio, tools that
 * are not functions.
 * Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` with the path.
 */
import type { Metadata } from '@anthropic-ai/sdk/resources/messages'
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import { stopSequences } from '../../chat/content.ts'
import { usesLegacyFunctions, withoutLegacyFunctions } from '../../chat/legacy-functions.ts'
import { requireOneText } from '../../chat/one-text.ts'
import { withoutTrailingSpace } from '../../chat/prefill.ts'
import { textOf } from '../../chat/values.ts'
import { withCacheMarks } from './cache-marks.ts'
import { cacheControl } from './content.ts'
import { readConversation } from './messages.ts'
import { readFormat, withInstruction } from './response-format.ts'
import { readEffort, readMaxTokens, readSampling, readThinking, thinks } from './sampling.ts'
import { readTools } from './tools.ts'
import { type MessagesRequest, type Reader, toJson } from './types.ts'

/** The request body that the API takes. */
export function anthropicRequest(given: JsonObject, context: CallContext): JsonObject {
  const reader: Reader = { provider: context.settings.provider, strict: context.strict }
  requireOneText(given, reader.provider)
  const body = withoutTrailingSpace(withoutLegacyFunctions(given, reader.provider))
  const model = textOf(body.model)
  const conversation = readConversation(body, reader)
  const { format, instruction } = readFormat(body, model, reader)
  const system = withInstruction(conversation.system, instruction)
  const thinking = readThinking(body, model, reader)
  const output = { ...(format === null ? {} : { format }), ...readEffort(body, model, thinking) }
  const stop = stopSequences(body)
  // The deprecated form supports one call only.
  const isSingle = usesLegacyFunctions(given) || body.parallel_tool_calls === false
  const request: MessagesRequest = {
    model,
    max_tokens: readMaxTokens(body, model, thinking),
    ...(system === null ? {} : { system }),
    messages: conversation.messages,
    ...readTools(body, reader, isSingle),
    ...(thinks(thinking) ? {} : readSampling(body, model)),
    ...(thinking === null ? {} : { thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...(stop === null ? {} : { stop_sequences: stop }),
    ...readMetadata(body),
    ...readServiceTier(body),
    ...cacheControl(body),
    ...(typeof body.stream === 'boolean' ? { stream: body.stream } : {}),
  }
  return withCacheMarks(toJson(request), context)
}

/** The API supports only the end user as metadata, which is `user` in the unified request. */
function readMetadata({ user, metadata }: JsonObject): { metadata?: Metadata } {
  const userId = user ?? (isObject(metadata) ? metadata.user_id : undefined)
  return typeof userId === 'string' ? { metadata: { user_id: userId } } : {}
}

/** `default` is the vendor's `standard_only`; unsupported tiers are dropped. */
function readServiceTier({ service_tier: tier }: JsonObject): Pick<MessagesRequest, 'service_tier'> {
  if (tier === 'auto') return { service_tier: 'auto' }
  return tier === 'default' || tier === 'standard_only' ? { service_tier: 'standard_only' } : {}
}
