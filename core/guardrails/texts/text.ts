/**
 * The texts of a body, gathered for checks; `rewrite-texts.ts` writes them back. Images, token arrays and embeddings
 * are not text. A text is named by its JSON pointer (https://www.rfc-editor.org/rfc/rfc6901).
 *
 * Every field of a message that reaches a reader is gathered, those beyond the specification as well
 * (`reasoning_content`, thinking blocks): what a check denies in `content` must not slip out beside it.
 */
import type { EndpointId, Phase, TextPart } from '@gateway/contract'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { readTranscript } from '../../endpoints/audio/transcript-texts.ts'
import { readMessage as readMessagesAnswer, readMessagesRequest } from '../../endpoints/messages/texts.ts'
import { readItemList, readResponse, readResponseRequest } from '../../endpoints/responses/texts.ts'
import { readEveryText } from './every-text.ts'
import { readToolDefinitions, toolDefinition } from './tool-texts.ts'

export { parsePointer, pointer, rewriteTexts } from './rewrite-texts.ts'

type Reader = (body: JsonObject, parts: TextPart[]) => void

const readRequest: Partial<Record<EndpointId, Reader>> = {
  chatComplete(body, parts) {
    readToolDefinitions(body, parts)
    eachObject(body.messages, (message, index) => readMessage(message, `/messages/${index}`, parts))
  },
  complete(body, parts) {
    readTexts(body.prompt, 'prompt', '/prompt', parts)
    add(body.suffix, 'prompt', '/suffix', parts)
  },
  embed: (body, parts) => readTexts(body.input, 'input', '/input', parts),
  imageGenerate: (body, parts) => add(body.prompt, 'prompt', '/prompt', parts),
  rerank(body, parts) {
    add(body.query, 'query', '/query', parts)
    readTexts(body.documents, 'document', '/documents', parts)
  },
  messages: withTools(readMessagesRequest),
  countTokens: withTools(readMessagesRequest),
  createModelResponse: withTools(readResponseRequest),
  createSpeech(body, parts) {
    add(body.input, 'input', '/input', parts)
    add(body.instructions, 'prompt', '/instructions', parts)
  },
  createTranscription: (body, parts) => add(body.prompt, 'prompt', '/prompt', parts),
  createTranslation: (body, parts) => add(body.prompt, 'prompt', '/prompt', parts),
  moderate: (body, parts) => readTexts(body.input, 'input', '/input', parts),
  imageEdit: (body, parts) => add(body.prompt, 'prompt', '/prompt', parts),
  proxy: (body, parts) => readEveryText(body, 'input', parts),
}

const readAnswer: Partial<Record<EndpointId, Reader>> = {
  chatComplete(body, parts) {
    eachObject(body.choices, ({ message }, index) => {
      if (isObject(message)) readMessage(message, `/choices/${index}/message`, parts)
    })
  },
  complete(body, parts) {
    eachObject(body.choices, (choice, index) =>
      add(choice.text, 'assistant', `/choices/${index}/text`, parts),
    )
  },
  embed: () => undefined,
  imageGenerate: readImages,
  rerank: () => undefined,
  createTranscription: readTranscript,
  createTranslation: readTranscript,
  imageEdit: readImages,
  proxy: (body, parts) => readEveryText(body, 'assistant', parts),
  messages: readMessagesAnswer,
  createModelResponse: readResponse,
  getModelResponse: readResponse,
  listResponseInputItems: readItemList,
}

/** Gathers the texts of a request (phase before) or an answer (after), in the order in which they stand. */
export function textParts(endpoint: EndpointId, phase: Phase, body: JsonObject): TextPart[] {
  const parts: TextPart[] = []
  const read = phase === 'before' ? readRequest[endpoint] : readAnswer[endpoint]
  read?.(body, parts)
  return parts
}

/** What a request says of its tools stands first, so that a conversation's end is the end. */
function withTools(read: Reader): Reader {
  return (body, parts) => {
    readToolDefinitions(body, parts)
    read(body, parts)
  }
}

/**
 * Picks the parts of the last message: of a conversation, those of its last message (none when that holds only
 * images); of everything else, all but the definitions of tools. The choices of an answer are all its last message, so
 * that none goes unseen.
 */
export function lastParts(
  endpoint: EndpointId,
  phase: Phase,
  body: JsonObject,
  parts: readonly TextPart[],
): readonly TextPart[] {
  if (phase === 'after') return parts
  const list = conversations[endpoint]
  const messages = list === undefined ? undefined : body[list]
  if (typeof messages === 'string') return parts.filter(({ path }) => path === `/${list}`)
  if (!Array.isArray(messages)) return parts.filter(({ role }) => role !== toolDefinition)
  const prefix = `/${list}/${messages.length - 1}/`
  return parts.filter((part) => part.path.startsWith(prefix))
}

/** Endpoints whose request is a conversation, and the list of its messages. */
const conversations: Readonly<Partial<Record<EndpointId, string>>> = {
  chatComplete: 'messages',
  messages: 'messages',
  countTokens: 'messages',
  createModelResponse: 'input',
}

/** Joins the texts of parts with newlines. */
export function joinTexts(parts: readonly TextPart[]): string {
  if (parts.length === 1) return parts[0]?.text ?? ''
  return parts.map((part) => part.text).join('\n')
}

function readImages(body: JsonObject, parts: TextPart[]): void {
  eachObject(body.data, (image, index) =>
    add(image.revised_prompt, 'prompt', `/data/${index}/revised_prompt`, parts),
  )
}

function readMessage(message: JsonObject, path: string, parts: TextPart[]): void {
  const role = typeof message.role === 'string' ? message.role : 'assistant'
  readTexts(message.content, role, `${path}/content`, parts)
  add(message.refusal, role, `${path}/refusal`, parts)
  add(message.reasoning_content, role, `${path}/reasoning_content`, parts)
  add(message.reasoning, role, `${path}/reasoning`, parts)
  if (isObject(message.audio)) add(message.audio.transcript, role, `${path}/audio/transcript`, parts)
  if (message.content_blocks !== undefined)
    readTexts(message.content_blocks, role, `${path}/content_blocks`, parts)
  eachObject(message.tool_calls, (call, index) => {
    if (isObject(call.function))
      add(call.function.arguments, role, `${path}/tool_calls/${index}/function/arguments`, parts)
    if (isObject(call.custom)) add(call.custom.input, role, `${path}/tool_calls/${index}/custom/input`, parts)
  })
  if (isObject(message.function_call))
    add(message.function_call.arguments, role, `${path}/function_call/arguments`, parts)
}

/** Reads a string, or a list of strings and of objects that hold a text. */
function readTexts(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  add(value, role, path, parts)
  if (!Array.isArray(value)) return
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') add(item, role, `${path}/${index}`, parts)
    else if (isObject(item))
      for (const member of ['text', 'refusal', 'thinking'] as const)
        add(item[member], role, `${path}/${index}/${member}`, parts)
  }
}

function add(value: Json | undefined, role: string, path: string, parts: TextPart[]): void {
  if (typeof value === 'string') parts.push({ role, text: value, path })
}

function eachObject(list: Json | undefined, visit: (item: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) if (isObject(item)) visit(item, index)
}
