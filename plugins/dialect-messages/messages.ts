/** `POST /v1/messages`, for every provider that has this endpoint or chat completions. */
import type { DialectEndpoint } from '@gateway/contract/dialect'
import { messageAnswer, messageEvent, messagesRequest } from './bodies.ts'
import { messagesDialect } from './dialect.ts'
import { messagesFormat } from './format.ts'
import { messagesRequestTexts, readMessage } from './texts.ts'

export const messages: DialectEndpoint = {
  id: 'messages',
  isRepeatable: true,
  request: messagesRequest,
  answerList: { member: 'content', isRequired: false },
  streams: true,
  format: messagesFormat,
  conversation: 'messages',
  requestTexts: messagesRequestTexts,
  answerTexts: readMessage,
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: messagesDialect },
  routes: [
    {
      serves: 'inference',
      path: '/v1/messages',
      operationId: 'messages',
      summary: 'Creates a message in the Messages format',
      description:
        'Takes and answers the Messages format. The gateway translates it for providers that have another format.',
      example: { max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] },
      tag: 'Messages',
      answer: messageAnswer,
      event: messageEvent,
      media: { body: ['application/json'], answer: ['application/json', 'text/event-stream'] },
    },
  ],
}
