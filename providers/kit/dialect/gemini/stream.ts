/**
 * Converts `streamGenerateContent?alt=sse` events to chat completion chunks, with one translator per stream. The API
 * has no final event: a stream is complete when it closes after every candidate (or the blocked prompt) has a finish
 * reason.
 * Reference: https://ai.google.dev/api/generate-content (models.streamGenerateContent)
 * Errors: {@link UpstreamFault} for an event with an error.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
  type Translated,
} from '@gateway/contract'
import { chunkWriter } from '../../chat/chunks.ts'
import { parseEvent } from '../../parse-event.ts'
import { blockReasonOf } from './answer.ts'
import { type CandidateStream, candidateStream } from './candidate-stream.ts'
import { throwError } from './errors.ts'
import { unifiedUsage } from './usage.ts'

/** A translator for one stream. */
export function geminiStream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  const candidates = new Map<number, CandidateStream>()
  let usage: Json | undefined

  function candidateAt(index: number): CandidateStream {
    const known = candidates.get(index)
    if (known !== undefined) return known
    const made = candidateStream(writer.choice(index), context)
    candidates.set(index, made)
    return made
  }

  function read(event: JsonObject): JsonObject[] {
    // The member name stays the same for the whole stream.
    writer.name(candidates.size === 0 ? event.responseId : undefined, event.modelVersion)
    // Each event contains the counts so far.
    if (isObject(event.usageMetadata)) usage = event.usageMetadata
    const given = Array.isArray(event.candidates) ? event.candidates : []
    const chunks = given.flatMap((candidate, position) => {
      if (!isObject(candidate)) return []
      const index = typeof candidate.index === 'number' ? candidate.index : position
      return candidateAt(index).read(candidate)
    })
    const reason = blockReasonOf(event)
    return reason === null ? chunks : [...chunks, ...candidateAt(0).block(reason, event.promptFeedback)]
  }

  function end(): Translated {
    const endings = [...candidates.values()].map((candidate) => candidate.end())
    const complete = endings.filter((ending) => ending !== null)
    if (endings.length === 0 || complete.length < endings.length) return { chunks: [], done: false }
    return { chunks: [...complete, ...writer.usage(unifiedUsage(usage))], done: true }
  }

  return {
    event({ data }) {
      const event = parseEvent(data)
      throwError(event)
      return { chunks: read(event), done: false }
    },
    end,
  }
}
