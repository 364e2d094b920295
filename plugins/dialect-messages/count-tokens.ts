/** `POST /v1/messages/count_tokens`. Returns an estimate if the provider cannot count tokens. */
import type { DialectEndpoint } from '@gateway/contract/dialect'
import { countTokensRequest, tokenCountAnswer } from './bodies.ts'
import { estimateAnswer } from './estimate.ts'
import { messagesFormat } from './format.ts'
import { messagesRequestTexts } from './texts.ts'

export const countTokens: DialectEndpoint = {
  id: 'countTokens',
  request: countTokensRequest,
  format: messagesFormat,
  isMetered: false,
  conversation: 'messages',
  requestTexts: messagesRequestTexts,
  translation: { kind: 'estimate', needs: ['messages', 'chatComplete'], answer: estimateAnswer },
  routes: [
    {
      serves: 'inference',
      path: '/v1/messages/count_tokens',
      operationId: 'countTokens',
      summary: 'Counts the input tokens of a message',
      example: { messages: [{ role: 'user', content: 'hello' }] },
      tag: 'Messages',
      answer: tokenCountAnswer,
      media: { body: ['application/json'], answer: ['application/json'] },
    },
  ],
}
