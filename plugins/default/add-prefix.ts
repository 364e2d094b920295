/** `default.addPrefix`: puts a text before the messages of a role, or before the prompt. */
import { type Check, type CheckInput, isObject, type Json, type JsonObject } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import { choice, type Filled } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    prefix: Type.String({
      minLength: 1,
      description: 'The text, put before the old one as it is: end it with a space or a line break.',
    }),
    applyToRole: Type.Optional(
      choice(
        ['user', 'system', 'developer', 'assistant'],
        'The role whose messages are changed. The prompt of a completion or an image is the user’s.',
      ),
    ),
    addToExisting: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'true: every message of the role is prefixed. false: one message of the role is inserted before the first ' +
          'of them or, where there is none, before the conversation (after its system messages).',
      }),
    ),
    onlyIfEmpty: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Prefixes only messages without content; with addToExisting false, inserts only when the role says nothing.',
      }),
    ),
  },
  { additionalProperties: false },
)

type Parameters = Filled<typeof parameters>

export const addPrefix: Check<Parameters> = {
  id: 'addPrefix',
  title: 'Add a prefix',
  description:
    'Puts a text before the messages of a role, the prompts of a completion, or the prompt of an image. ' +
    'A message that has no content but tool calls stays as it is, and so do prompts of tokens.',
  kind: 'mutator',
  phases: ['before'],
  parameters,
  prepare(parameters) {
    return {
      run(input) {
        const { json, changed } = prefixed(input, parameters)
        const data = { changed }
        return changed === 0 ? { verdict: true, data } : { verdict: true, data, transformed: { json } }
      },
    }
  },
}

/** A new request, and how many of its messages or prompts were changed. */
interface Outcome {
  json: JsonObject
  changed: number
}

function prefixed({ endpoint, request: { json } }: CheckInput, parameters: Parameters): Outcome {
  if (endpoint === 'chatComplete' && Array.isArray(json.messages)) {
    const messages = parameters.addToExisting
      ? json.messages.map((message) => prefixMessage(message, parameters))
      : insertMessage(json.messages, parameters)
    const old = new Set(json.messages)
    return { json: { ...json, messages }, changed: messages.filter((message) => !old.has(message)).length }
  }
  if ((endpoint === 'complete' || endpoint === 'imageGenerate') && parameters.applyToRole === 'user')
    return prefixPrompt(json, parameters)
  return { json, changed: 0 }
}

function prefixMessage(message: Json, { prefix, applyToRole, onlyIfEmpty }: Parameters): Json {
  if (!isObject(message) || message.role !== applyToRole) return message
  const { content } = message
  if (onlyIfEmpty && !isEmpty(content)) return message
  if (typeof content === 'string') return { ...message, content: prefix + content }
  return Array.isArray(content) ? { ...message, content: prefixContent(content, prefix) } : message
}

/** The first text of a content list takes the prefix; a list without text gets one. */
function prefixContent(content: readonly Json[], prefix: string): Json[] {
  const first = content.findIndex((part) => isObject(part) && typeof part.text === 'string')
  if (first < 0) return [{ type: 'text', text: prefix }, ...content]
  return content.map((part, index) =>
    index === first && isObject(part) ? { ...part, text: `${prefix}${part.text}` } : part,
  )
}

function insertMessage(messages: Json[], { prefix, applyToRole, onlyIfEmpty }: Parameters): Json[] {
  const isTheirs = (message: Json) => isObject(message) && message.role === applyToRole
  if (
    onlyIfEmpty &&
    messages.some((message) => isTheirs(message) && !isEmpty((message as JsonObject).content))
  )
    return messages
  const first = messages.findIndex(isTheirs)
  const place = first < 0 ? afterInstructions(messages, applyToRole) : first
  return messages.toSpliced(place, 0, { role: applyToRole, content: prefix })
}

const isInstruction = (role: Json | undefined) => role === 'system' || role === 'developer'

function afterInstructions(messages: readonly Json[], role: string): number {
  if (isInstruction(role)) return 0
  const place = messages.findIndex((message) => !isObject(message) || !isInstruction(message.role))
  return place < 0 ? messages.length : place
}

function isEmpty(content: Json | undefined): boolean {
  if (Array.isArray(content)) return content.every((part) => isObject(part) && isEmptyText(part.text))
  return isEmptyText(content)
}

const isEmptyText = (text: Json | undefined) => typeof text === 'string' && text.trim() === ''

function prefixPrompt(json: JsonObject, { prefix, onlyIfEmpty }: Parameters): Outcome {
  const wanted = (text: Json | undefined): text is string =>
    typeof text === 'string' && (!onlyIfEmpty || isEmptyText(text))
  const { prompt } = json
  if (wanted(prompt)) return { json: { ...json, prompt: prefix + prompt }, changed: 1 }
  if (!Array.isArray(prompt)) return { json, changed: 0 }
  const prompts = prompt.map((text) => (wanted(text) ? prefix + text : text))
  return { json: { ...json, prompt: prompts }, changed: prompt.filter(wanted).length }
}
