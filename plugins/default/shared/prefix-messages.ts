/** Inserts a text before messages, in the three conversation formats. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface Prefixing {
  prefix: string
  applyToRole: string
  addToExisting: boolean
  onlyIfEmpty: boolean
}

/** A new request, and how many of its messages or texts have changed. */
export interface Prefixed {
  json: JsonObject
  changed: number
}

/** Chats: `messages` contains all roles. */
export function prefixChat(json: JsonObject, options: Prefixing): Prefixed {
  return prefixList(json, 'messages', { textType: 'text', options })
}

/** Messages: the system text is in `system`. */
export function prefixMessages(json: JsonObject, options: Prefixing): Prefixed {
  return options.applyToRole === 'system'
    ? prefixMember(json, 'system', options)
    : prefixList(json, 'messages', { textType: 'text', options })
}

/** Responses: the system text is in `instructions` or in `input`, and `input` may be one text of the user. */
export function prefixResponse(json: JsonObject, options: Prefixing): Prefixed {
  const { applyToRole } = options
  const { input } = json
  const isInstruction =
    applyToRole === 'system' && (typeof json.instructions === 'string' || !speaks(input, 'system'))
  if (isInstruction) return prefixMember(json, 'instructions', options)
  if (typeof input !== 'string')
    return prefixList(json, 'input', {
      textType: applyToRole === 'assistant' ? 'output_text' : 'input_text',
      options,
    })
  const message = { role: 'user', content: input }
  const spelled = prefixList({ ...json, input: [message] }, 'input', { textType: 'input_text', options })
  const [first] = Array.isArray(spelled.json.input) ? spelled.json.input : []
  const isOneText = Array.isArray(spelled.json.input) && spelled.json.input.length === 1
  if (spelled.changed === 0) return { json, changed: 0 }
  return isOneText && isObject(first) ? { json: { ...json, input: first.content }, changed: 1 } : spelled
}

/** The system text, as one text or as a list of blocks. */
function prefixMember(json: JsonObject, member: string, options: Prefixing): Prefixed {
  const said = json[member] ?? ''
  const now = isEmpty(said) ? prefixSilence(said, options) : prefixSaid(said, options)
  return now === null ? { json, changed: 0 } : { json: { ...json, [member]: now }, changed: 1 }
}

function prefixSilence(said: Json, { prefix }: Prefixing): Json {
  return Array.isArray(said) ? prefixContent(said, prefix, 'text') : prefix
}

function prefixSaid(said: Json, { prefix, addToExisting, onlyIfEmpty }: Prefixing): Json | null {
  if (onlyIfEmpty) return null
  if (typeof said === 'string') return addToExisting ? prefix + said : `${prefix}\n\n${said}`
  if (!Array.isArray(said)) return null
  return addToExisting ? prefixContent(said, prefix, 'text') : [{ type: 'text', text: prefix }, ...said]
}

function prefixList(
  json: JsonObject,
  member: string,
  { textType, options }: { textType: string; options: Prefixing },
): Prefixed {
  const list = json[member]
  if (!Array.isArray(list)) return { json, changed: 0 }
  const messages = !hasRole(list, options.applyToRole)
    ? addMessage(list, options)
    : options.addToExisting
      ? list.map((message) => prefixMessage(message, textType, options))
      : insertMessage(list, options)
  const old = new Set(list)
  const changed = messages.filter((message) => !old.has(message)).length
  return changed === 0 ? { json, changed } : { json: { ...json, [member]: messages }, changed }
}

function prefixMessage(
  message: Json,
  textType: string,
  { prefix, applyToRole, onlyIfEmpty }: Prefixing,
): Json {
  if (!isObject(message) || message.role !== applyToRole) return message
  const { content } = message
  if (onlyIfEmpty && !isEmpty(content)) return message
  if (typeof content === 'string') return { ...message, content: prefix + content }
  if (!Array.isArray(content) || isToolResult(content)) return message
  return { ...message, content: prefixContent(content, prefix, textType) }
}

/** The first text of a content list gets the prefix; a list without text gets a new one. */
function prefixContent(content: readonly Json[], prefix: string, textType: string): Json[] {
  const first = content.findIndex((part) => isObject(part) && typeof part.text === 'string')
  if (first < 0) return [{ type: textType, text: prefix }, ...content]
  return content.map((part, index) =>
    index === first && isObject(part) ? { ...part, text: `${prefix}${part.text}` } : part,
  )
}

/** Tool results are in user messages that contain nothing else from the user. */
const isToolResult = (content: readonly Json[]): boolean =>
  content.some((part) => isObject(part) && part.type === 'tool_result') &&
  !content.some((part) => isObject(part) && typeof part.text === 'string')

const hasRole = (messages: readonly Json[], role: string): boolean =>
  messages.some((message) => isObject(message) && message.role === role)

/** Adds a message for a role without one: system text at the start, others at the end. */
function addMessage(messages: readonly Json[], { prefix, applyToRole }: Prefixing): Json[] {
  const message = { role: applyToRole, content: prefix }
  return isInstruction(applyToRole) ? [message, ...messages] : [...messages, message]
}

/** Inserts before the first message of the role. */
function insertMessage(messages: Json[], { prefix, applyToRole, onlyIfEmpty }: Prefixing): Json[] {
  if (onlyIfEmpty && speaks(messages, applyToRole)) return messages
  const first = messages.findIndex((message) => isObject(message) && message.role === applyToRole)
  return messages.toSpliced(first, 0, { role: applyToRole, content: prefix })
}

/** Whether a message of the role has content. */
const speaks = (messages: Json | undefined, role: string): boolean =>
  Array.isArray(messages) &&
  messages.some((message) => isObject(message) && message.role === role && !isEmpty(message.content))

const isInstruction = (role: Json | undefined) => role === 'system' || role === 'developer'

function isEmpty(content: Json | undefined): boolean {
  if (Array.isArray(content)) return content.every((part) => isObject(part) && isEmptyText(part.text))
  return isEmptyText(content)
}

/** Whether a text is empty. */
export const isEmptyText = (text: Json | undefined) => typeof text === 'string' && text.trim() === ''
