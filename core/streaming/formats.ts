/** Which endpoint streams, and says its errors, in which format. */
import type { EndpointId } from '@gateway/contract'
import { messagesFormat } from '../endpoints/messages/format.ts'
import { keptResponseFormat, responsesFormat } from '../endpoints/responses/format.ts'
import type { StreamFormat } from '../flow/stream-format.ts'
import { compatibleFormat } from './compatible-format.ts'
import { imageFormat, speechFormat, transcriptFormat } from './media-formats.ts'

const formats: Partial<Record<EndpointId, StreamFormat>> = {
  messages: messagesFormat,
  countTokens: messagesFormat,
  createModelResponse: responsesFormat,
  getModelResponse: keptResponseFormat,
  createSpeech: speechFormat,
  createTranscription: transcriptFormat,
  createTranslation: transcriptFormat,
  imageGenerate: imageFormat,
  imageEdit: imageFormat,
}

/** The format of an endpoint's callers; the compatible one where there is no other. */
export const formatOf = (endpoint: EndpointId | null): StreamFormat =>
  (endpoint === null ? undefined : formats[endpoint]) ?? compatibleFormat
