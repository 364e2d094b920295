/** `POST /v1/images/generations`. */
import { promptText } from '@gateway/contract/dialect'
import { imageGenerateRequest, imageListAnswer } from '@gateway/contract/wire'
import { imageFormat } from '@gateway/streaming'
import { declareInference } from '../declare-endpoint.ts'
import { imageAnswerTexts, readImageUsage } from './shared.ts'

export const imageGenerations = declareInference({
  id: 'imageGenerate',
  path: '/v1/images/generations',
  summary: 'Creates images',
  description: 'Creates images from a text.',
  example: { prompt: 'A lighthouse at dawn', n: 1, size: '1024x1024' },
  tag: 'Images',
  request: imageGenerateRequest,
  answer: imageListAnswer,
  answerList: { member: 'data', isRequired: false },
  format: imageFormat,
  makesImages: true,
  readUsage: readImageUsage,
  requestTexts: promptText,
  answerTexts: imageAnswerTexts,
})
