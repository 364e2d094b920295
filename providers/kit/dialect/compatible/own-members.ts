/**
 * Members of messages that the gateway adds to the format: `content_blocks` of an answer with reasoning or citations,
 * and `extra_content` with the signatures of Gemini. Callers send them back, and they reach only providers that define
 * them.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

type OwnMember = 'content_blocks' | 'extra_content'

export interface OwnMemberRules {
  /** The members that the provider defines. */
  defines?: readonly OwnMember[]
}

const ownMembers: readonly OwnMember[] = ['content_blocks', 'extra_content']

/** The body without members that the provider does not define; the same object if it has no such members. */
export function withoutOwnMembers(body: JsonObject, { defines = [] }: OwnMemberRules): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  const names = defines.length === 0 ? ownMembers : ownMembers.filter((name) => !defines.includes(name))
  if (!messages.some((message) => isTouched(message, names))) return body
  return { ...body, messages: messages.map((message) => withoutMembers(message, names)) }
}

const hasMember = (value: Json | undefined, names: readonly OwnMember[]): boolean =>
  isObject(value) && names.some((name) => value[name] !== undefined)

/** Calls in the deprecated form have their signature on the function. */
function isTouched(message: Json, names: readonly OwnMember[]): boolean {
  if (!isObject(message)) return false
  const { tool_calls: calls, function_call: called } = message
  return (
    hasMember(message, names) ||
    (called !== undefined && hasMember(called, names)) ||
    (Array.isArray(calls) && calls.some((call) => hasMember(call, names)))
  )
}

function withoutMembers(message: Json, names: readonly OwnMember[]): Json {
  if (!isTouched(message, names) || !isObject(message)) return message
  const kept = without(message, names)
  if (isObject(kept.function_call)) kept.function_call = without(kept.function_call, names)
  if (Array.isArray(kept.tool_calls))
    kept.tool_calls = kept.tool_calls.map((call) => (isObject(call) ? without(call, names) : call))
  return kept
}

const without = (value: JsonObject, names: readonly OwnMember[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !(names as readonly string[]).includes(name)))
