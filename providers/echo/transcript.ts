/**
 * Transcripts: the text of speech that the echo generated, or the name and size of any other file. In all formats:
 * JSON, verbose JSON, text, SRT, VTT, and events.
 */
import type { JsonObject, ProcedureAnswer, ProcedureContext } from '@gateway/contract'
import { readBehaviour } from './behaviour.ts'
import { tokensOf } from './text.ts'
import { readComment } from './wave.ts'

const ok = { status: 200, headers: {}, stream: null } as const

export async function createTranscript(
  body: JsonObject,
  context: ProcedureContext,
): Promise<ProcedureAnswer> {
  const text = readBehaviour(body).reply ?? heard(context)
  const words = tokensOf(text)
  // The pace of the echo's own speech.
  const seconds = words.length / 20
  const usage = {
    type: 'tokens',
    input_tokens: words.length,
    output_tokens: words.length,
    total_tokens: words.length * 2,
  }
  if (body.stream === true) return { ...ok, body: null, stream: events(text, words, usage) }
  switch (body.response_format) {
    case 'text':
      return plain('text/plain; charset=utf-8', `${text}\n`)
    case 'srt':
      return plain('text/plain; charset=utf-8', `1\n00:00:00,000 --> ${clock(seconds, ',')}\n${text}\n`)
    case 'vtt':
      return plain('text/vtt; charset=utf-8', `WEBVTT\n\n00:00:00.000 --> ${clock(seconds, '.')}\n${text}\n`)
    case 'verbose_json': {
      const segments = [{ id: 0, start: 0, end: seconds, text }]
      return { ...ok, body: { language: 'english', duration: seconds, text, segments, usage } }
    }
    default:
      return { ...ok, body: { text, usage } }
  }
}

function heard({ files }: ProcedureContext): string {
  const [file] = files
  if (file === undefined) return 'nothing'
  return readComment(file.bytes) ?? `${file.filename}, ${file.bytes.length} bytes`
}

const plain = (contentType: string, text: string): ProcedureAnswer => ({ ...ok, contentType, body: { text } })

/** `00:00:01,500`, with a comma or a point. */
function clock(seconds: number, point: string): string {
  const milliseconds = Math.round(seconds * 1000)
  return new Date(milliseconds).toISOString().slice(11, 23).replace('.', point)
}

async function* events(
  text: string,
  words: readonly string[],
  usage: JsonObject,
): AsyncGenerator<JsonObject, void, undefined> {
  for (const word of words) yield { type: 'transcript.text.delta', delta: word }
  yield { type: 'transcript.text.done', text, usage }
}
