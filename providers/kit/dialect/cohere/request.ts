/**
 * Converts a chat completion request to a v2 chat request. `documents`, `citation_options`, `safety_mode`,
 * `strict_tools` and `priority` are forwarded. Unsupported parameters are dropped (`logit_bias`, `top_logprobs`,
 * `parallel_tool_calls`, `user`, …), or refused if dropping them would change the meaning: several choices, audio,
 * files, tools that are not functions.
 * Reference: https://docs.cohere.com/reference/chat
 * Errors: `invalid_body` with the path.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import { maxTokens, stopSequences } from '../../chat/content.ts'
import { withoutLegacyFunctions } from '../../chat/legacy-functions.ts'
import { refuseWebSearch, requireOneText } from '../../chat/one-text.ts'
import { readResponseFormat } from '../../chat/response-format.ts'
import { readToolUse, withNamedToolOnly } from '../../chat/tools.ts'
import { clamped, defined, objectOf, pick } from '../../chat/values.ts'
import { readMessages } from './messages.ts'
import { outputSchema } from './output-schema.ts'
import { type ChatRequest, type Reader, type Tool, toJson } from './types.ts'

const vendorFields = ['documents', 'citation_options', 'safety_mode', 'strict_tools', 'priority']

/** The request body that the API takes. */
export function cohereRequest(given: JsonObject, context: CallContext): JsonObject {
  const reader: Reader = { provider: context.settings.provider, strict: context.strict }
  requireOneText(given, reader.provider)
  refuseWebSearch(given, reader.provider)
  const body = withoutLegacyFunctions(given, reader.provider)
  const request: ChatRequest = {
    model: typeof body.model === 'string' ? body.model : '',
    messages: readMessages(body, reader),
    ...readTools(body, reader),
    ...readFormat(body, reader),
    ...readThinking(body, reader),
    ...readSampling(body),
    ...(typeof body.stream === 'boolean' ? { stream: body.stream } : {}),
  }
  return { ...toJson(request), ...pick(body, vendorFields) }
}

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice' | 'strict_tools'>

/** The API can force a call but not choose the function: then only that function is sent. */
function readTools(body: JsonObject, reader: Reader): ToolFields {
  const { tools, choice } = withNamedToolOnly(readToolUse(body, reader.provider))
  if (tools.length === 0) return {}
  return {
    tools: tools.map(
      ({ name, description, parameters }): Tool => ({
        type: 'function',
        function: { name, ...(description === '' ? {} : { description }), parameters },
      }),
    ),
    ...(choice === 'required' ? { tool_choice: 'REQUIRED' } : {}),
    ...(choice === 'none' ? { tool_choice: 'NONE' } : {}),
    // Strictness applies to the request, not to a tool.
    ...(tools.some(({ isStrict }) => isStrict) ? { strict_tools: true } : {}),
  }
}

function readFormat(body: JsonObject, reader: Reader): Pick<ChatRequest, 'response_format'> {
  const wanted = readResponseFormat(body, reader.provider)
  if (wanted.type === 'text') return {}
  const given = objectOf(body.response_format)
  // The vendor's own schema parameter.
  const own = [given.json_schema, given.schema].find(isObject)
  const schema = wanted.type === 'json_schema' ? outputSchema(wanted.schema) : own
  return {
    response_format: { type: 'json_object', ...(schema === undefined ? {} : { json_schema: schema }) },
  }
}

/** Thinking is on or off, with an optional budget; every effort except none turns it on. */
function readThinking(body: JsonObject, reader: Reader): Pick<ChatRequest, 'thinking'> {
  const { thinking, reasoning_effort: effort } = body
  if (!reader.strict && isObject(thinking)) {
    if (thinking.type === 'disabled') return { thinking: { type: 'disabled' } }
    const budget = [thinking.budget_tokens, thinking.token_budget].find((value) => typeof value === 'number')
    return { thinking: { type: 'enabled', ...(budget === undefined ? {} : { token_budget: budget }) } }
  }
  if (typeof effort !== 'string') return {}
  return { thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } }
}

/** Clamps numbers to the API's range. */
function readSampling(body: JsonObject): Partial<ChatRequest> {
  return defined({
    max_tokens: maxTokens(body),
    stop_sequences: stopSequences(body) ?? undefined,
    temperature: clamped(body.temperature, 0, 1),
    p: clamped(body.top_p, 0.01, 0.99),
    k: clamped(body.top_k, 0, 500),
    frequency_penalty: clamped(body.frequency_penalty, 0, 1),
    presence_penalty: clamped(body.presence_penalty, 0, 1),
    seed: typeof body.seed === 'number' ? body.seed : undefined,
    logprobs: typeof body.logprobs === 'boolean' ? body.logprobs : undefined,
  })
}
