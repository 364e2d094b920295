/** `POST /v1beta/models/{model}:countTokens`: an estimate when the provider has no token count. */
import { contentTokensAnswer, countContentTokensRequest } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { countedBody, pathsOf } from './body.ts'
import { estimateAnswer } from './estimate.ts'
import { contentFormat } from './format.ts'
import { contentRequestTexts } from './texts.ts'

export const countContentTokens = declareInference({
  id: 'countContentTokens',
  ...pathsOf('countTokens'),
  summary: 'Counts the input tokens of contents',
  example: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  tag: 'Gemini',
  request: countContentTokensRequest,
  completeBody: countedBody,
  answer: contentTokensAnswer,
  format: contentFormat,
  isMetered: false,
  conversation: 'contents',
  requestTexts: contentRequestTexts,
  translation: { kind: 'estimate', needs: ['generateContent', 'chatComplete'], answer: estimateAnswer },
})
