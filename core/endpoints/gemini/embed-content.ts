/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents`, for every provider with embeddings. */
import {
  batchEmbedContentsAnswer,
  batchEmbedContentsRequest,
  embedContentAnswer,
  embedContentRequest,
} from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { contentBody, pathsOf } from './body.ts'
import { embedDialect } from './embed-dialect.ts'
import { contentFormat } from './format.ts'
import { embedTexts } from './texts.ts'

const shared = {
  tag: 'Gemini',
  completeBody: contentBody,
  format: contentFormat,
  requestTexts: embedTexts,
  // 2048 texts of 3072 numbers each.
  maxAnswerBytes: 256 * 1_048_576,
  translation: { kind: 'embed', needs: ['embed'], dialect: embedDialect },
} as const

const content = { parts: [{ text: 'hello' }] }

export const embedContent = declareInference({
  ...shared,
  id: 'embedContent',
  ...pathsOf('embedContent'),
  summary: 'Creates an embedding of a content',
  example: { content },
  request: embedContentRequest,
  answer: embedContentAnswer,
})

export const batchEmbedContents = declareInference({
  ...shared,
  id: 'batchEmbedContents',
  ...pathsOf('batchEmbedContents'),
  summary: 'Creates embeddings of several contents',
  example: { requests: [{ content }] },
  request: batchEmbedContentsRequest,
  answer: batchEmbedContentsAnswer,
  answerList: { member: 'embeddings', isRequired: false },
})
