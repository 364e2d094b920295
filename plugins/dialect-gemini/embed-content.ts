/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents`, for every provider with embeddings. */
import type { DialectEndpoint, DialectRoute } from '@gateway/contract/dialect'
import {
  batchEmbedContentsAnswer,
  batchEmbedContentsRequest,
  embedContentAnswer,
  embedContentRequest,
} from './bodies.ts'
import { contentBody, pathsOf } from './body.ts'
import { embedDialect } from './embed-dialect.ts'
import { contentFormat } from './format.ts'
import { embedTexts } from './texts.ts'

const shared = {
  completeBody: contentBody,
  format: contentFormat,
  requestTexts: embedTexts,
  // 2048 texts of 3072 numbers each.
  maxAnswerBytes: 256 * 1_048_576,
  translation: { kind: 'embed', needs: ['embed'], dialect: embedDialect },
} as const

const content = { parts: [{ text: 'hello' }] }

const route = (
  id: 'embedContent' | 'batchEmbedContents',
  words: Pick<DialectRoute, 'summary' | 'example' | 'answer'>,
): DialectRoute => ({
  serves: 'inference',
  ...pathsOf(id),
  operationId: id,
  tag: 'Gemini',
  ...words,
  media: { body: ['application/json'], answer: ['application/json'] },
})

export const embedContent: DialectEndpoint = {
  ...shared,
  id: 'embedContent',
  request: embedContentRequest,
  routes: [
    route('embedContent', {
      summary: 'Creates an embedding of a content',
      example: { content },
      answer: embedContentAnswer,
    }),
  ],
}

export const batchEmbedContents: DialectEndpoint = {
  ...shared,
  id: 'batchEmbedContents',
  request: batchEmbedContentsRequest,
  answerList: { member: 'embeddings', isRequired: false },
  routes: [
    route('batchEmbedContents', {
      summary: 'Creates embeddings of several contents',
      example: { requests: [{ content }] },
      answer: batchEmbedContentsAnswer,
    }),
  ],
}
