/**
 * Speech, transcription and translation in the compatible format. Speech returns audio, or events with audio
 * (`stream_format: "sse"`); a transcript is JSON, a text (`text`, `srt`, `vtt`), or events (`stream`).
 * Reference: https://platform.openai.com/docs/api-reference/audio
 */
import type { Dialect, EndpointId, HttpEndpoint, StreamTranslator } from '@gateway/contract'
import { compatibleError } from './errors.ts'
import { encodeForm } from './form.ts'
import { type BodyRules, reshape } from './reshape.ts'
import { typedStream } from './typed-stream.ts'

/** Text to speech. */
function speechDialect(rules: BodyRules = {}): Dialect {
  return {
    name: 'compatible-speech',
    request: (body) => reshape(body, rules),
    answer: (body) => body,
    otherwise: 'bytes',
    stream: () => typedStream('speech.audio.done'),
    error: compatibleError,
  }
}

/** Speech to text, in the original language or, for translations, in English. */
function transcriptDialect(rules: BodyRules = {}): Dialect {
  return {
    name: 'compatible-transcript',
    request: (body) => reshape(body, rules),
    encode: (body, { files }) => encodeForm(body, files),
    answer: (body) => body,
    otherwise: 'text',
    stream: transcriptStream,
    error: compatibleError,
  }
}

/** A stream with only the complete text also gets a delta event: readers and checks use the deltas. */
function transcriptStream(): StreamTranslator {
  const inner = typedStream('transcript.text.done')
  let hasText = false
  return {
    event(event) {
      const { chunks, done } = inner.event(event)
      const whole = chunks.find(({ type }) => type === 'transcript.text.done')
      if (chunks.some(({ type }) => type === 'transcript.text.delta')) hasText = true
      if (whole === undefined || hasText || typeof whole.text !== 'string') return { chunks, done }
      hasText = true
      return { chunks: [{ type: 'transcript.text.delta', delta: whole.text }, ...chunks], done }
    },
    end: inner.end,
  }
}

const post = (path: string, dialect: Dialect): HttpEndpoint => ({
  kind: 'http',
  method: 'POST',
  path,
  dialect,
  headers: ({ stream }) => ({ accept: stream === true ? 'text/event-stream' : '*/*' }),
})

/** The audio endpoints; a provider uses those that it supports. */
export const audioEndpoints = {
  createSpeech: post('/audio/speech', speechDialect()),
  createTranscription: post('/audio/transcriptions', transcriptDialect()),
  createTranslation: post('/audio/translations', transcriptDialect()),
} satisfies Partial<Record<EndpointId, HttpEndpoint>>
