/** `POST /v1/audio/translations`: a form with the audio file. */
import { translationRequest } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { transcript } from './shared.ts'

export const translations = declareInference({
  ...transcript,
  id: 'createTranslation',
  path: '/v1/audio/translations',
  summary: 'Translates speech to English text',
  request: translationRequest,
})
