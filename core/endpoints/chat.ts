/** `POST /v1/chat/completions`. Other conversation dialects are translated to it when necessary. */
import { isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { addText, addTexts, eachObject, withTools } from '@gateway/contract/dialect'
import { chatCompleteRequest, chatCompletionAnswer } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'
import { chatCompletionChunk } from './stream-events.ts'

export const chat = declareInference({
  id: 'chatComplete',
  isRepeatable: true,
  path: '/v1/chat/completions',
  summary: 'Creates a chat completion',
  description:
    'Creates an answer to a conversation in the Chat Completions format, at any provider. Fields that the gateway does not know are sent to the provider unchanged.',
  example: { messages: [{ role: 'user', content: 'hello' }] },
  tag: 'Chat',
  request: chatCompleteRequest,
  answer: chatCompletionAnswer,
  answerList: { member: 'choices', isRequired: true },
  streams: true,
  event: chatCompletionChunk,
  asksForUsage: true,
  conversation: 'messages',
  promptMembers: { model: 'prompt', messages: [{ role: 'user', content: '' }] },
  requestTexts: withTools((body, parts) =>
    eachObject(body.messages, (message, index) => readMessage(message, `/messages/${index}`, parts)),
  ),
  answerTexts: (body, parts) =>
    eachObject(body.choices, ({ message }, index) => {
      if (isObject(message)) readMessage(message, `/choices/${index}/message`, parts)
    }),
})

const textMembers = ['refusal', 'reasoning_content', 'reasoning'] as const

/**
 * Every field that a reader sees counts as text, including unspecified ones (`reasoning_content`, thinking blocks), so
 * that text denied in `content` cannot leak through another field.
 */
function readMessage(message: JsonObject, path: string, parts: TextPart[]): void {
  const role = typeof message.role === 'string' ? message.role : 'assistant'
  addTexts(message.content, { role, path: `${path}/content`, parts })
  for (const member of textMembers) {
    const text = message[member]
    if (typeof text === 'string') parts.push({ role, text, path: `${path}/${member}` })
  }
  if (isObject(message.audio))
    addText(message.audio.transcript, { role, path: `${path}/audio/transcript`, parts })
  if (message.content_blocks !== undefined)
    addTexts(message.content_blocks, { role, path: `${path}/content_blocks`, parts })
  eachObject(message.tool_calls, (call, index) => {
    const at = `${path}/tool_calls/${index}`
    if (isObject(call.function))
      addText(call.function.arguments, { role, path: `${at}/function/arguments`, parts })
    if (isObject(call.custom)) addText(call.custom.input, { role, path: `${at}/custom/input`, parts })
  })
  if (isObject(message.function_call))
    addText(message.function_call.arguments, { role, path: `${path}/function_call/arguments`, parts })
}
