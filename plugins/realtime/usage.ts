/** The usage that an event of the provider reports; null for an event that reports none. */
import { isObject, type JsonObject } from '@gateway/contract'
import { readUsage, type Usage } from '@gateway/contract/dialect'

export function usageOf({ type, response, usage }: JsonObject): Usage | null {
  if (type === 'response.done' && isObject(response) && isObject(response.usage))
    return readUsage(response.usage as JsonObject)
  // Transcriptions are billed separately.
  const isTranscript = type === 'conversation.item.input_audio_transcription.completed'
  return isTranscript && isObject(usage) ? readUsage(usage as JsonObject) : null
}
