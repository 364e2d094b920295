/**
 * Messages in the generic format. Developer messages are sent as system messages, except to OpenAI's models; Google's
 * models need each call with its result before the next.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/AssistantMessage
 * Errors: `invalid_body` for unsupported content and calls.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { readToolCalls, refusal, saidContent, textOf, textParts } from '@gateway/provider-kit'
import { genericContent } from './content.ts'
import type { GenericContent, GenericMessage } from './wire.ts'

/** Converts the messages of a request without deprecated members. */
export function genericMessages(body: JsonObject, model: string, provider: string): GenericMessage[] {
  const given = Array.isArray(body.messages) ? body.messages : []
  const messages = given.flatMap((message, index) =>
    isObject(message) ? [readMessage(message, { path: `/messages/${index}`, model, provider })] : [],
  )
  if (messages.length === 0) throw refusal(provider, '/messages', 'at least one message is required')
  return model.startsWith('google.') ? paired(messages) : messages
}

interface ReadMessageOptions {
  path: string
  model: string
  provider: string
}

function readMessage(message: JsonObject, { path, model, provider }: ReadMessageOptions): GenericMessage {
  const content = `${path}/content`
  const texts = (): GenericContent[] =>
    textParts(saidContent(message), content, provider).map((text) => ({ type: 'TEXT', text }))
  const named = typeof message.name === 'string' ? { name: message.name } : {}
  switch (message.role) {
    case 'system':
      return { role: 'SYSTEM', ...named, content: texts() }
    case 'developer':
      return { role: model.startsWith('openai.') ? 'DEVELOPER' : 'SYSTEM', ...named, content: texts() }
    case 'tool':
      return { role: 'TOOL', toolCallId: textOf(message.tool_call_id), content: texts() }
    case 'assistant':
      return { ...assistantMessage(message, texts(), { path, provider }), ...named }
    default:
      return { role: 'USER', ...named, content: genericContent(message.content, content, provider) }
  }
}

function assistantMessage(
  message: JsonObject,
  texts: GenericContent[],
  { path, provider }: { path: string; provider: string },
): GenericMessage {
  const calls = readToolCalls(message, path, provider)
  if (calls.length === 0) return { role: 'ASSISTANT', content: texts }
  const said = texts.filter((content) => content.type === 'TEXT' && content.text !== '')
  return {
    role: 'ASSISTANT',
    content: said.length === 0 ? null : said,
    toolCalls: calls.map((call) => ({ type: 'FUNCTION', ...call })),
  }
}

/** Splits parallel calls into consecutive ones, each with its own result. */
function paired(messages: readonly GenericMessage[]): GenericMessage[] {
  const results = messages.filter(({ role }) => role === 'TOOL')
  const placed = new Set<GenericMessage>()
  const resultOf = (id: string): GenericMessage[] => {
    const result = results.find((each) => each.toolCallId === id && !placed.has(each))
    if (result === undefined) return []
    placed.add(result)
    return [result]
  }
  return messages.flatMap((message) => {
    const { toolCalls } = message
    if (placed.has(message)) return []
    if (toolCalls === undefined || toolCalls.length < 2) return [message]
    return toolCalls.flatMap((call, index) => [
      { ...message, content: index === 0 ? message.content : null, toolCalls: [call] },
      ...resultOf(call.id),
    ])
  })
}
