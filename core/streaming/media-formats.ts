/**
 * Streams of the compatible format's audio and image endpoints: events with a `type`, followed by `[DONE]`. Only
 * transcripts contain text. References:
 * https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event,
 * https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event,
 * https://platform.openai.com/docs/api-reference/images-streaming
 */
import { isObject, type JsonObject } from '@gateway/contract'
import {
  type Delta,
  readUsage,
  type StreamFormat,
  type Usage,
  writeNamedEvent,
} from '@gateway/contract/dialect'
import { compatibleFormat } from './compatible-format.ts'

/** Audio in events, which contain no text. */
export const speechFormat: StreamFormat = {
  ...compatibleFormat,
  isOpening: () => false,
  deltas: () => [],
  written: { marks: [], deltas: () => [] },
  groupOf: () => '',
  textAlone: () => null,
  ended: () => [],
  finishMarks: [],
  repair: null,
  assemble: (events) => ({ events: [...events] }),
  disassemble: ({ events }) => (Array.isArray(events) ? events.filter(isObject) : []),
  usageMarks: [Buffer.from('"usage"')],
  usageOf,
}

/** Images in events, which also have names. */
export const imageFormat: StreamFormat = {
  ...speechFormat,
  write: (event) =>
    typeof event.type === 'string' ? writeNamedEvent(event.type, event) : compatibleFormat.write(event),
}

export const transcriptFormat: StreamFormat = {
  ...speechFormat,
  deltas: transcriptDeltas,
  written: { marks: [Buffer.from('transcript.text.delta')], deltas: transcriptDeltas },
  assemble: assembleTranscript,
  disassemble: disassembleTranscript,
}

function transcriptDeltas({ type, delta }: JsonObject): Delta[] {
  return type === 'transcript.text.delta' && typeof delta === 'string' ? [{ path: '/text', text: delta }] : []
}

/** The last event contains the whole text; if it is missing, the texts of the others are joined. */
function assembleTranscript(events: readonly JsonObject[]): JsonObject {
  const { type: _, ...done } = events.findLast(({ type }) => type === 'transcript.text.done') ?? {}
  const text = events.flatMap(transcriptDeltas).map((delta) => delta.text)
  return { text: text.join(''), ...done }
}

/** Log probabilities belong to the original text, and would reveal it. */
function disassembleTranscript({ text, logprobs: _, ...rest }: JsonObject): JsonObject[] {
  return [
    { type: 'transcript.text.delta', delta: text },
    { ...rest, type: 'transcript.text.done', text },
  ]
}

/** Tokens, or seconds if those are billed. */
function usageOf({ usage }: JsonObject, before: Usage | null): Usage | null {
  return isObject(usage) ? readUsage(usage) : before
}
