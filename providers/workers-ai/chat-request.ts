/**
 * Chat requests. The models use the parameter names of the compatible format; they differ in the allowed content and
 * schema.
 * Reference: https://developers.cloudflare.com/workers-ai/models/ (each model's own page),
 * https://developers.cloudflare.com/workers-ai/features/json-mode/
 * Errors: `invalid_body` for tools that are not functions.
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  clamped,
  contentParts,
  defined,
  maxTokens,
  objectOf,
  objectsOf,
  partText,
  readToolUse,
  saidContent,
  textOf,
  withNamedToolOnly,
  withoutLegacyFunctions,
} from '@gateway/provider-kit'

/** Parameters with another name or form, or in the path. */
const rewritten: readonly string[] = [
  'model',
  'messages',
  'functions',
  'function_call',
  'tools',
  'tool_choice',
  'response_format',
  'max_completion_tokens',
  'max_tokens',
  'thinking',
]

/** The request body for a chat. */
export function chatRequest(body: JsonObject, context: CallContext): JsonObject {
  const current = withoutLegacyFunctions(body, context.settings.provider)
  return {
    ...samplingOf(current),
    messages: messagesOf(current),
    ...toolsOf(current, context.settings.provider),
    ...formatOf(current),
    ...(context.strict ? {} : thinkingOf(current)),
  }
}

/** Parameters sent unchanged, within the models' limits; also for text completions. */
export function samplingOf(body: JsonObject): JsonObject {
  const rest = Object.entries(body).filter(([name, value]) => value !== null && !rewritten.includes(name))
  return {
    ...Object.fromEntries(rest),
    ...defined({
      max_tokens: maxTokens(body),
      top_p: clamped(body.top_p, 0.001, 1),
      seed: clamped(body.seed, 1, 9_999_999_999),
    }),
  }
}

function messagesOf({ messages }: JsonObject): JsonObject[] {
  const names = new Map<string, string>()
  return objectsOf(messages).map((message) => {
    for (const call of objectsOf(message.tool_calls)) {
      names.set(textOf(call.id), textOf(objectOf(call.function).name))
    }
    const name = message.role === 'tool' ? names.get(textOf(message.tool_call_id)) : undefined
    return {
      ...(name === undefined ? {} : { name }),
      ...message,
      role: message.role === 'developer' ? 'system' : message.role,
      content: contentOf(saidContent(message)),
    }
  })
}

/** Most models accept only a string as content, and none accepts null. */
function contentOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? ''
  const texts = contentParts(content, '').map(({ part }) => partText(part))
  return texts.every((text) => text !== null) ? texts.join('') : content
}

/**
 * A call can be forced but the function not chosen, and models without `tool_choice` must not get tools for `none`.
 */
function toolsOf(body: JsonObject, provider: string): JsonObject {
  const { tools, choice } = withNamedToolOnly(readToolUse(body, provider))
  if (tools.length === 0 || choice === 'none') return {}
  const functions = tools.map(({ name, description, parameters, isStrict }) => ({
    type: 'function',
    function: { name, description, parameters, ...(isStrict ? { strict: true } : {}) },
  }))
  const isChosen = body.tool_choice !== undefined && body.tool_choice !== null
  return { tools: functions, ...(isChosen ? { tool_choice: choice } : {}) }
}

/** Families whose `json_schema` is the schema itself; later models use the compatible format. */
const bareSchemas =
  /llama|hermes|mistral|deepseek-(?:coder|math|r1)|qwen[12]|qwq|gemma-(?:2b|3|7b|sea)|gpt-oss|granite/i

function formatOf({ model, response_format: format }: JsonObject): JsonObject {
  if (!isObject(format) || format.type === 'text') return {}
  const { schema } = objectOf(format.json_schema)
  const isBare = format.type === 'json_schema' && isObject(schema) && bareSchemas.test(textOf(model))
  return { response_format: isBare ? { type: 'json_schema', json_schema: schema } : format }
}

/** Parameters in the models' own format take precedence. */
function thinkingOf({ thinking, chat_template_kwargs: given }: JsonObject): JsonObject {
  if (!isObject(thinking)) return {}
  const isEnabled = thinking.type !== 'disabled'
  return { chat_template_kwargs: { enable_thinking: isEnabled, ...objectOf(given) } }
}
