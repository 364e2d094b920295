/**
 * Speech: a tone per word, as a WAV file for every `response_format` except `pcm`, which returns the plain samples;
 * `stream_format: "sse"` sends it as events.
 */
import type { JsonObject, ProcedureAnswer } from '@gateway/contract'
import { tokensOf } from './text.ts'
import { samplesOf, waveFile } from './wave.ts'

/** Bytes of audio in one chunk of an answer. */
const pieceBytes = 4096

export async function createSpeech(body: JsonObject): Promise<ProcedureAnswer> {
  const text = String(body.input ?? '')
  const words = tokensOf(text)
  const samples = samplesOf(words)
  const isBare = body.response_format === 'pcm'
  const pieces = piecesOf(isBare ? samples : waveFile(samples, text))
  if (body.stream_format === 'sse') {
    return { status: 200, headers: {}, body: null, stream: events(pieces, words.length) }
  }
  const contentType = isBare ? 'audio/pcm' : 'audio/wav'
  return { status: 200, headers: {}, body: null, stream: null, contentType, bytes: each(pieces) }
}

function piecesOf(file: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(file.length / pieceBytes) }, (_, index) =>
    file.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  )
}

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  yield* pieces
}

async function* events(
  pieces: readonly Buffer[],
  words: number,
): AsyncGenerator<JsonObject, void, undefined> {
  for (const piece of pieces) yield { type: 'speech.audio.delta', audio: piece.toString('base64') }
  const usage = { input_tokens: words, output_tokens: pieces.length, total_tokens: words + pieces.length }
  yield { type: 'speech.audio.done', usage }
}
