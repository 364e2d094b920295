/** Small differences in a compatible provider's messages, as data: unsupported roles and members. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { isRestricted, type ToolCallIds, withAcceptedIds } from '../../chat/tool-call-ids.ts'

export interface MessageRules {
  /** Maps a role of the format to the provider's role. */
  roles?: Readonly<Record<string, string>>
  /** Members of a message that the provider refuses. */
  messageDrops?: readonly string[]
  /** The ids of tool calls that the provider accepts; the first entry for the model counts. Others become hashes. */
  toolCallIds?: readonly ToolCallIds[]
}

/** Roles are system, user, assistant and tool: a developer message is sent as a system message. */
export const systemRole = { roles: { developer: 'system' } } as const satisfies MessageRules

/** The restriction of ids for the model of a request, or null. */
export const idsFor = (request: JsonObject, { toolCallIds = [] }: MessageRules): ToolCallIds | null =>
  toolCallIds.find((ids) => isRestricted(request, ids)) ?? null

/** The body with ids that the provider accepts; the same object if all are accepted. */
export function reshapeIds(body: JsonObject, ids: ToolCallIds): JsonObject {
  const { messages: given } = body
  if (!Array.isArray(given)) return body
  const messages = given.map((message) => (isObject(message) ? withAcceptedIds(message, ids) : message))
  return messages.every((message, index) => message === given[index]) ? body : { ...body, messages }
}

/** The body with its messages converted by these rules; the same object when no rule applies. */
export function reshapeMessages(body: JsonObject, rules: MessageRules): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some((message) => isTouched(message, rules))) return body
  return { ...body, messages: messages.map((message) => reshapeMessage(message, rules)) }
}

function isTouched(message: Json, { roles = {}, messageDrops = [] }: MessageRules): boolean {
  if (!isObject(message)) return false
  return roleOf(message, roles) !== null || messageDrops.some((member) => message[member] !== undefined)
}

function reshapeMessage(message: Json, { roles = {}, messageDrops = [] }: MessageRules): Json {
  if (!isObject(message)) return message
  const kept = Object.entries(message).filter(([member]) => !messageDrops.includes(member))
  const role = roleOf(message, roles)
  return { ...Object.fromEntries(kept), ...(role === null ? {} : { role }) }
}

/** The provider's role for a message; null when it is unchanged. */
function roleOf({ role }: JsonObject, roles: Readonly<Record<string, string>>): string | null {
  return typeof role === 'string' && Object.hasOwn(roles, role) ? (roles[role] ?? null) : null
}
