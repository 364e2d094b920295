/** `POST /v1/embeddings`. */
import { inputTexts } from '@gateway/contract/dialect'
import { embeddingListAnswer, embedRequest } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'

export const embeddings = declareInference({
  id: 'embed',
  isRepeatable: true,
  path: '/v1/embeddings',
  summary: 'Creates embeddings',
  description: 'Returns one vector for each input text.',
  example: { input: ['hello', 'good morning'] },
  tag: 'Embeddings',
  request: embedRequest,
  answer: embeddingListAnswer,
  answerList: { member: 'data', isRequired: false },
  requestTexts: inputTexts,
  // 2048 texts of 3072 numbers each.
  maxAnswerBytes: 256 * 1_048_576,
})
