/** `POST /v1beta/models/{model}:countTokens`. Returns an estimate if the provider cannot count tokens. */
import type { DialectEndpoint } from '@gateway/contract/dialect'
import { contentTokensAnswer, countContentTokensRequest } from './bodies.ts'
import { countedBody, pathsOf } from './body.ts'
import { estimateAnswer } from './estimate.ts'
import { contentFormat } from './format.ts'
import { contentRequestTexts } from './texts.ts'

export const countContentTokens: DialectEndpoint = {
  id: 'countContentTokens',
  request: countContentTokensRequest,
  completeBody: countedBody,
  format: contentFormat,
  isMetered: false,
  conversation: 'contents',
  requestTexts: contentRequestTexts,
  translation: { kind: 'estimate', needs: ['generateContent', 'chatComplete'], answer: estimateAnswer },
  routes: [
    {
      serves: 'inference',
      ...pathsOf('countTokens'),
      operationId: 'countContentTokens',
      summary: 'Counts the input tokens of contents',
      example: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
      tag: 'Gemini',
      answer: contentTokensAnswer,
      media: { body: ['application/json'], answer: ['application/json'] },
    },
  ],
}
