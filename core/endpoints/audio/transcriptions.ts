/** `POST /v1/audio/transcriptions`: a form with the audio file. */
import { transcriptionRequest } from '@gateway/contract/wire'
import { declareInference } from '../declare-endpoint.ts'
import { transcript } from './shared.ts'

export const transcriptions = declareInference({
  ...transcript,
  id: 'createTranscription',
  path: '/v1/audio/transcriptions',
  summary: 'Transcribes speech to text',
  request: transcriptionRequest,
})
