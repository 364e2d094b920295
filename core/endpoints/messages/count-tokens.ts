/** `POST /v1/messages/count_tokens`: an estimate when the provider has no token count. */
import { countTokensRequest, tokenCountAnswer } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { estimateAnswer } from './estimate.ts'
import { messagesFormat } from './format.ts'
import { messagesRequestTexts } from './texts.ts'

export const countTokens = declareInference({
  id: 'countTokens',
  path: '/v1/messages/count_tokens',
  summary: 'Counts the input tokens of a message',
  example: { messages: [{ role: 'user', content: 'hello' }] },
  tag: 'Messages',
  request: countTokensRequest,
  answer: tokenCountAnswer,
  format: messagesFormat,
  isMetered: false,
  conversation: 'messages',
  requestTexts: messagesRequestTexts,
  translation: { kind: 'estimate', needs: ['messages', 'chatComplete'], answer: estimateAnswer },
})
