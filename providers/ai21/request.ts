/**
 * Converts a chat completion request to a Jamba chat request: the compatible format with fewer parameters. Content is
 * text only, a tool call cannot be forced, and JSON mode has no schema. `documents` is forwarded.
 * Reference: https://docs.ai21.com/reference/jamba-1-6-api-ref
 * Errors: `invalid_body` for images and other parts, a forced call and a JSON schema.
 */
import { type CallContext, isObject, type JsonObject } from '@gateway/contract'
import {
  defined,
  maxTokens,
  pick,
  plainText,
  readToolCalls,
  readToolUse,
  refusal,
  refuseWebSearch,
  requireText,
  stopSequences,
  withoutLegacyFunctions,
} from '@gateway/provider-kit'

const passed = ['model', 'temperature', 'top_p', 'n', 'stream', 'documents']

/** The request body that the API takes. */
export function ai21Request(given: JsonObject, context: CallContext): JsonObject {
  const { provider } = context.settings
  requireText(given, provider)
  refuseWebSearch(given, provider)
  const body = withoutLegacyFunctions(given, provider)
  return {
    ...pick(body, passed),
    messages: readMessages(body, provider),
    ...readTools(body, provider),
    ...readFormat(body, provider),
    ...defined({ max_tokens: maxTokens(body), stop: stopSequences(body) ?? undefined }),
  }
}

function readMessages(body: JsonObject, provider: string): JsonObject[] {
  const messages = Array.isArray(body.messages) ? body.messages : []
  return messages.flatMap((message, index) => {
    if (!isObject(message)) return []
    const path = `/messages/${index}`
    const content = plainText(message.content, `${path}/content`, provider)
    const calls = readToolCalls(message, path, provider).map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }))
    return [
      {
        role: message.role === 'developer' ? 'system' : message.role,
        content,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        ...pick(message, ['tool_call_id']),
      },
    ]
  })
}

/** The API has no `none`: then no tools are sent. */
function readTools(body: JsonObject, provider: string): JsonObject {
  const { tools, choice } = readToolUse(body, provider)
  if (choice === 'required') throw refusal(provider, '/tool_choice', 'this provider cannot force a tool call')
  if (tools.length === 0 || choice === 'none') return {}
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, ...(description === '' ? {} : { description }), parameters },
    })),
  }
}

function readFormat(body: JsonObject, provider: string): JsonObject {
  const format = body.response_format
  if (!isObject(format) || format.type === 'text') return {}
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } }
  throw refusal(provider, '/response_format/type', 'only text and json_object are supported')
}
