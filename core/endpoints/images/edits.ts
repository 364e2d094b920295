/** `POST /v1/images/edits`: a form with the images, or JSON that refers to them. */
import { promptText } from '@gateway/contract/dialect'
import { imageEditForm, imageEditRequest, imageListAnswer } from '@gateway/contract/wire'
import { imageFormat } from '@gateway/streaming'
import { declareInference } from '../declare-endpoint.ts'
import { imageEvent } from '../stream-events.ts'
import { imageAnswerTexts, readImageUsage } from './shared.ts'

export const imageEdits = declareInference({
  id: 'imageEdit',
  path: '/v1/images/edits',
  summary: 'Edits images',
  tag: 'Images',
  request: imageEditRequest,
  form: imageEditForm,
  answer: imageListAnswer,
  streams: true,
  event: imageEvent,
  format: imageFormat,
  makesImages: true,
  readUsage: readImageUsage,
  mayCache: () => false,
  requestTexts: promptText,
  answerTexts: imageAnswerTexts,
})
