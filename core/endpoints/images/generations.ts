/** `POST /v1/images/generations`. */
import { imageGenerateRequest, imageListAnswer } from '@gateway/contract/wire'
import { imageFormat } from '../../streaming/media-formats.ts'
import { declareInference } from '../declare-endpoint.ts'
import { promptText } from '../texts/read-texts.ts'
import { imageAnswerTexts, readImageUsage } from './shared.ts'

export const imageGenerations = declareInference({
  id: 'imageGenerate',
  path: '/v1/images/generations',
  summary: 'Create images',
  tag: 'Images',
  request: imageGenerateRequest,
  answer: imageListAnswer,
  format: imageFormat,
  makesImages: true,
  readUsage: readImageUsage,
  requestTexts: promptText,
  answerTexts: imageAnswerTexts,
})
