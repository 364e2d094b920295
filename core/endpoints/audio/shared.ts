/** What transcriptions and translations of speech share. */
import { audioForm, transcriptAnswer } from '@gateway/contract/wire'
import { transcriptFormat } from '../../streaming/media-formats.ts'
import { promptText } from '../texts/read-texts.ts'
import { readTranscript } from './transcript-texts.ts'

export const transcript = {
  tag: 'Audio',
  form: audioForm,
  answer: transcriptAnswer,
  answerTypes: ['text/plain', 'text/vtt'],
  streams: true,
  format: transcriptFormat,
  // Seconds of audio are priced, and no body tells how many there were.
  isEstimatePriced: false,
  mayCache: () => false,
  requestTexts: promptText,
  answerTexts: readTranscript,
}
