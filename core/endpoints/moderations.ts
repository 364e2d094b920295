/** `POST /v1/moderations`. */
import { inputTexts } from '@gateway/contract/dialect'
import { moderationAnswer, moderationRequest } from '@gateway/contract/wire'
import { declareInference } from './declare-endpoint.ts'

export const moderations = declareInference({
  id: 'moderate',
  path: '/v1/moderations',
  summary: 'Classifies whether content is harmful',
  example: { input: 'hello' },
  tag: 'Moderations',
  request: moderationRequest,
  answer: moderationAnswer,
  answerList: { member: 'results', isRequired: false },
  mayCache: () => false,
  requestTexts: inputTexts,
})
