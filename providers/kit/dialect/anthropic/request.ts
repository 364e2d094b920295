/**
 * A chat completion request → a Messages request. What the API has no word for is dropped (`seed`, `logit_bias`,
 * `logprobs`, penalties, …); what would lose its meaning is refused: several choices, audio, tools that are not
 * functions. Reference: https://platform.claude.com/docs/en/api/messages
 * Errors: `invalid_body` with the path.
 */
import type { Metadata } from '@anthropic-ai/sdk/resources/messages'
import { type CallContext, isObject, type JsonObject } from '@gateway/core/contract'
import { cacheControl } from './content.ts'
import { readConversation } from './messages.ts'
import { refuse } from './refuse.ts'
import { readResponseFormat, withInstruction } from './response-format.ts'
import { readMaxTokens, readSampling, readThinking } from './sampling.ts'
import { readTools } from './tools.ts'
import { type MessagesRequest, type Reader, toJson } from './types.ts'

/** The request body that the API takes. */
export function anthropicRequest(body: JsonObject, context: CallContext): JsonObject {
  const reader: Reader = { provider: context.settings.provider, strict: context.strict }
  if (typeof body.n === 'number' && body.n > 1) throw refuse(reader, '/n', 'only one choice can be generated')
  const model = typeof body.model === 'string' ? body.model : ''
  const conversation = readConversation(body, reader)
  const format = readResponseFormat(body, reader)
  const system = withInstruction(conversation.system, format.instruction)
  const thinking = readThinking(body, model, reader)
  const request: MessagesRequest = {
    model,
    max_tokens: readMaxTokens(body, model, thinking),
    ...(system === null ? {} : { system }),
    messages: conversation.messages,
    ...readTools(body, reader),
    ...readSampling(body, model),
    ...(thinking === null ? {} : { thinking }),
    ...(format.outputConfig === null ? {} : { output_config: format.outputConfig }),
    ...readStop(body),
    ...readMetadata(body),
    ...readServiceTier(body),
    ...cacheControl(body),
    ...(typeof body.stream === 'boolean' ? { stream: body.stream } : {}),
  }
  return toJson(request)
}

function readStop({ stop }: JsonObject): Pick<MessagesRequest, 'stop_sequences'> {
  const sequences = (Array.isArray(stop) ? stop : [stop]).filter((item) => typeof item === 'string')
  return sequences.length === 0 ? {} : { stop_sequences: sequences }
}

/** Of the metadata the API takes the end user only; `user` is its name in the unified request. */
function readMetadata({ user, metadata }: JsonObject): { metadata?: Metadata } {
  const userId = user ?? (isObject(metadata) ? metadata.user_id : undefined)
  return typeof userId === 'string' ? { metadata: { user_id: userId } } : {}
}

/** `default` is what the vendor calls `standard_only`; tiers that it does not have are dropped. */
function readServiceTier({ service_tier: tier }: JsonObject): Pick<MessagesRequest, 'service_tier'> {
  if (tier === 'auto') return { service_tier: 'auto' }
  return tier === 'default' || tier === 'standard_only' ? { service_tier: 'standard_only' } : {}
}
