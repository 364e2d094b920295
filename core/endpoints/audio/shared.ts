/** Shared by transcriptions and translations of speech. */
import { promptText } from '@gateway/contract/dialect'
import { audioForm, transcriptAnswer } from '@gateway/contract/wire'
import { transcriptFormat } from '@gateway/streaming'
import { audioEvent } from '../stream-events.ts'
import { readTranscript } from './transcript-texts.ts'

export const transcript = {
  tag: 'Audio',
  form: audioForm,
  answer: transcriptAnswer,
  answerTypes: ['text/plain', 'text/vtt'],
  streams: true,
  event: audioEvent,
  format: transcriptFormat,
  // Priced by seconds of audio, which bodies do not report.
  isEstimatePriced: false,
  mayCache: () => false,
  requestTexts: promptText,
  answerTexts: readTranscript,
}
