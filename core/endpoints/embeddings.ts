/** `POST /v1/embeddings`. */
import { embeddingListAnswer, embedRequest } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'
import { inputTexts } from './texts/read-texts.ts'

export const embeddings = declareInference({
  id: 'embed',
  path: '/v1/embeddings',
  summary: 'Create embeddings',
  tag: 'Embeddings',
  request: embedRequest,
  answer: embeddingListAnswer,
  requestTexts: inputTexts,
  // 2048 texts of 3072 numbers each.
  maxAnswerBytes: 256 * 1_048_576,
})
