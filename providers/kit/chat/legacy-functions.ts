/**
 * Converts the deprecated `functions`, `function_call` and `function` messages to tools, calls and results, so that a
 * dialect only has to support those.
 * Reference: https://platform.openai.com/docs/api-reference/chat/create
 * Errors: `invalid_body` for a result of a function that was not called, for a choice that names no function, and for
 * arguments that are not a JSON object.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { refusal } from './refusal.ts'
import { objectsOf, parseObject, textOf } from './values.ts'

/** Whether a request uses the deprecated form, whose answers contain `function_call`. */
export function usesLegacyFunctions(body: JsonObject): boolean {
  return objectsOf(body.functions).length > 0 && objectsOf(body.tools).length === 0
}

/** The body in the current form; the same object when nothing in it is deprecated. */
export function withoutLegacyFunctions(body: JsonObject, provider: string): JsonObject {
  const isLegacy = usesLegacyFunctions(body)
  const messages = Array.isArray(body.messages) ? body.messages : []
  const read = currentMessages(messages, provider)
  if (!isLegacy && read === messages) return body
  const { functions, function_call: choice, ...rest } = body
  if (!isLegacy) return { ...rest, messages: read }
  return {
    ...rest,
    messages: read,
    tools: objectsOf(functions).map((definition) => ({ type: 'function', function: definition })),
    ...(choice === undefined || choice === null
      ? {}
      : { tool_choice: currentChoice(body, choice, provider) }),
  }
}

function currentChoice({ functions }: JsonObject, choice: Json, provider: string): Json {
  if (!isObject(choice)) return choice
  if (!objectsOf(functions).some(({ name }) => name === choice.name)) {
    throw refusal(provider, '/function_call/name', 'names no function in the request')
  }
  return { type: 'function', function: choice }
}

/** The deprecated form has no ids: a call gets one, and the next result of the same function uses it. */
function currentMessages(messages: Json[], provider: string): Json[] {
  if (!messages.some(isLegacyMessage)) return messages
  const waiting = new Map<string, string>()
  let count = 0
  return messages.map((message, index) => {
    if (!isObject(message) || !isLegacyMessage(message)) return message
    const { function_call: call, name, ...rest } = message
    if (isObject(call)) {
      const text = textOf(call.arguments).trim()
      if (text !== '' && parseObject(text) === null) {
        throw refusal(
          provider,
          `/messages/${index}/function_call/arguments`,
          'must be a string that contains a JSON object',
        )
      }
      const id = `function_call_${count++}`
      waiting.set(textOf(call.name), id)
      return {
        ...rest,
        tool_calls: [...objectsOf(message.tool_calls), { id, type: 'function', function: call }],
      }
    }
    const id = waiting.get(textOf(name))
    if (id === undefined) {
      throw refusal(provider, `/messages/${index}/name`, 'must name the function of an earlier function_call')
    }
    waiting.delete(textOf(name))
    return { ...rest, role: 'tool', tool_call_id: id }
  })
}

function isLegacyMessage(message: Json): boolean {
  return isObject(message) && (isObject(message.function_call) || message.role === 'function')
}
