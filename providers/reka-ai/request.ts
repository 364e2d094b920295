/**
 * Converts a chat completion request to a Reka chat request. System and developer messages become one at the
 * beginning; consecutive tool results become one message. `web_search_options` becomes `use_search_engine`, which is
 * also forwarded.
 * Reference: https://docs.reka.ai/chat/overview, https://docs.reka.ai/function-calling
 * Errors: `invalid_body` for several choices, JSON modes and files.
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  contentParts,
  defined,
  imageUrl,
  maxTokens,
  objectOf,
  partText,
  pick,
  plainText,
  readArguments,
  readToolCalls,
  readToolUse,
  refusal,
  requireOneText,
  saidContent,
  stopSequences,
  textOf,
  unsupportedPart,
  withNamedToolOnly,
  withoutLegacyFunctions,
} from '@gateway/provider-kit'

const passed = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'use_search_engine',
]
/** The vendor's own kinds of parts. */
const vendorParts = ['video_url', 'audio_url', 'pdf_url']

/** The request body that the API takes. */
export function rekaRequest(given: JsonObject, context: CallContext): JsonObject {
  const { provider } = context.settings
  requireOneText(given, provider)
  const body = withoutLegacyFunctions(given, provider)
  const format = body.response_format
  if (isObject(format) && format.type !== 'text') {
    throw refusal(provider, '/response_format/type', 'only text is supported')
  }
  return {
    ...(isObject(body.web_search_options) ? { use_search_engine: true } : {}),
    ...pick(body, passed),
    messages: readMessages(body, provider),
    ...readTools(body, provider),
    ...defined({ max_tokens: maxTokens(body), stop: stopSequences(body) ?? undefined }),
  }
}

function readMessages(body: JsonObject, provider: string): JsonObject[] {
  const given = Array.isArray(body.messages) ? body.messages : []
  const instructions: string[] = []
  const messages: { role: string; content?: Json; tool_calls?: Json }[] = []
  for (const [index, message] of given.entries()) {
    if (!isObject(message)) continue
    const path = `/messages/${index}`
    const at = `${path}/content`
    if (message.role === 'system' || message.role === 'developer') {
      instructions.push(plainText(message.content, at, provider))
    } else if (message.role === 'tool') {
      const output = plainText(message.content, at, provider)
      const result = { tool_call_id: textOf(message.tool_call_id), output }
      const last = messages[messages.length - 1]
      if (last?.role === 'tool_output' && Array.isArray(last.content)) last.content.push(result)
      else messages.push({ role: 'tool_output', content: [result] })
    } else if (message.role === 'assistant') messages.push(readAssistant(message, path, provider))
    else messages.push({ role: 'user', content: readContent(message.content, at, provider) })
  }
  const system = instructions.length === 0 ? [] : [{ role: 'system', content: instructions.join('\n\n') }]
  return [...system, ...messages]
}

function readAssistant(message: JsonObject, path: string, provider: string) {
  const content = plainText(saidContent(message), `${path}/content`, provider)
  const calls = readToolCalls(message, path, provider).map((call, index) => ({
    id: call.id,
    name: call.name,
    parameters: readArguments(call, `${path}/tool_calls/${index}/function/arguments`, provider),
  }))
  return {
    role: 'assistant',
    ...(content === '' && calls.length > 0 ? {} : { content }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function readContent(content: Json | undefined, path: string, provider: string): Json {
  if (typeof content === 'string') return content
  return contentParts(content, path).map(({ part, path: at }): JsonObject => {
    const text = partText(part)
    if (text !== null) return { type: 'text', text }
    if (part.type === 'image_url') return { type: 'image_url', image_url: imageUrl(part) }
    if (part.type === 'input_audio') {
      const { format, data } = objectOf(part.input_audio)
      return { type: 'audio_url', audio_url: `data:audio/${textOf(format)};base64,${textOf(data)}` }
    }
    if (vendorParts.includes(textOf(part.type))) return part
    throw unsupportedPart(part, at, provider)
  })
}

const choices = { auto: 'auto', none: 'none', required: 'tool' } as const

/** A call can be forced without choosing the function: then only that function is sent. */
function readTools(body: JsonObject, provider: string): JsonObject {
  const { tools, choice } = withNamedToolOnly(readToolUse(body, provider))
  if (tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    tool_choice: choices[choice],
  }
}
