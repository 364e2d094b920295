/**
 * The type of tools, calls and choices that only have a `function`, as some clients send them. The client may have been
 * written for another provider, so the type is filled in.
 * Reference: https://platform.openai.com/docs/api-reference/chat/create
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The body with `type: "function"` at each place where only the type is missing; the same object if it is complete. */
export function withToolTypes(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice, messages } = body
  const isTold = !isUntyped(choice) && !hasUntyped(tools)
  const isSaid = !Array.isArray(messages) || !messages.some(callsUntyped)
  if (isTold && isSaid) return body
  return {
    ...body,
    ...(tools === undefined ? {} : { tools: typedList(tools) }),
    ...(choice === undefined ? {} : { tool_choice: typed(choice) }),
    ...(isSaid ? {} : { messages: messages.map(typedMessage) }),
  }
}

function isUntyped(value: Json | undefined): value is JsonObject {
  return isObject(value) && (value.type === undefined || value.type === null) && isObject(value.function)
}

const hasUntyped = (list: Json | undefined): boolean => Array.isArray(list) && list.some(isUntyped)

const callsUntyped = (message: Json): boolean => isObject(message) && hasUntyped(message.tool_calls)

const typed = (value: Json): Json => (isUntyped(value) ? { ...value, type: 'function' } : value)

const typedList = (list: Json): Json => (Array.isArray(list) ? list.map(typed) : list)

const typedMessage = (message: Json): Json =>
  isObject(message) && hasUntyped(message.tool_calls)
    ? { ...message, tool_calls: typedList(message.tool_calls ?? null) }
    : message
