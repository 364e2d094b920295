/** `POST /v1/audio/speech`: audio, as bytes or in events. */
import { addText } from '@gateway/contract/dialect'
import { speechRequest } from '@gateway/contract/wire'
import { speechFormat } from '@gateway/streaming'
import { declareInference } from '../declare-endpoint.ts'
import { audioEvent } from '../stream-events.ts'

export const speech = declareInference({
  id: 'createSpeech',
  path: '/v1/audio/speech',
  summary: 'Creates speech from text',
  example: { input: 'hello', voice: 'alloy' },
  tag: 'Audio',
  request: speechRequest,
  answerTypes: ['audio/*'],
  streams: true,
  event: audioEvent,
  format: speechFormat,
  // Priced by seconds of audio, which bodies do not report.
  isEstimatePriced: false,
  mayCache: () => false,
  requestTexts(body, parts) {
    addText(body.input, { role: 'input', path: '/input', parts })
    addText(body.instructions, { role: 'prompt', path: '/instructions', parts })
  },
})
