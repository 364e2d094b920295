/** `POST /v1/messages`, for every provider with this endpoint or chat completions. */
import { messageAnswer, messagesRequest } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { messageEvent } from '../stream-events.ts'
import { messagesDialect } from './dialect.ts'
import { messagesFormat } from './format.ts'
import { messagesRequestTexts, readMessage } from './texts.ts'

export const messages = declareInference({
  id: 'messages',
  isRepeatable: true,
  path: '/v1/messages',
  summary: 'Creates a message in the Messages format',
  description:
    'Takes and answers the Messages format. The gateway translates it for providers that have another format.',
  example: { max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] },
  tag: 'Messages',
  request: messagesRequest,
  answer: messageAnswer,
  answerList: { member: 'content', isRequired: false },
  streams: true,
  event: messageEvent,
  format: messagesFormat,
  conversation: 'messages',
  requestTexts: messagesRequestTexts,
  answerTexts: readMessage,
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: messagesDialect },
})
