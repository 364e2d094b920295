/**
 * Converts one candidate of a stream to chunks: role, text, calls (complete, as the API streams them) and, without
 * strict compliance, blocks. The finish reason is sent once the stream is over, because older models repeat it in
 * every event.
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { finishMembers } from '../../chat/answer.ts'
import { type ChoiceWriter, opening } from '../../chat/chunks.ts'
import { objectsOf } from '../../chat/values.ts'
import { partsOf } from './answer.ts'
import { annotationsOf } from './citations.ts'
import { finishOf } from './finish-reason.ts'
import { readLogprobs } from './logprobs.ts'
import { metadataOf, readPart, type Said, signatureExtra } from './said.ts'

export interface CandidateStream {
  read(candidate: JsonObject): JsonObject[]
  /** The prompt was blocked for this reason. */
  block(reason: string, feedback: Json | undefined): JsonObject[]
  /** The last chunk; null when the candidate is not complete. */
  end(): JsonObject | null
}

/** The state of one candidate. */
export function candidateStream(writer: ChoiceWriter, context: CallContext): CandidateStream {
  let hasBegun = false
  let text = ''
  let callCount = 0
  let reason: string | null = null
  let isBlocked = false
  let metadata: JsonObject = {}
  const block = { index: -1, kind: '' }

  function begin(): JsonObject[] {
    if (hasBegun) return []
    hasBegun = true
    return [writer.delta(opening)]
  }

  function blockDelta(kind: string, content: JsonObject | null): JsonObject[] {
    if (kind !== block.kind || (kind !== 'text' && kind !== 'thinking')) block.index += 1
    block.kind = kind
    return content === null || context.strict
      ? []
      : [writer.delta({ content_blocks: [{ index: block.index, ...content }] })]
  }

  function chunksOf(part: Json): JsonObject[] {
    const said = readPart(part, context)
    if (said?.kind === 'call') return writer.call(callCount++, said.call)
    return [...saidChunks(said), ...extraChunks(part)]
  }

  function saidChunks(said: Exclude<Said, { kind: 'call' }>): JsonObject[] {
    if (said === null) return []
    if (said.kind === 'block') return blockDelta(String(said.block.type), said.block)
    if (said.text === '') return []
    text += said.text
    return [...blockDelta('text', null), writer.delta({ content: said.text })]
  }

  function extraChunks(part: Json): JsonObject[] {
    const isSigned = !context.strict && isObject(part) && part.inlineData === undefined
    const extra = isSigned ? signatureExtra(part) : {}
    return extra.extra_content === undefined ? [] : [writer.delta(extra)]
  }

  return {
    read(candidate) {
      if (typeof candidate.finishReason === 'string') reason = candidate.finishReason
      metadata = { ...metadata, ...metadataOf(candidate) }
      const chunks = partsOf(candidate).flatMap(chunksOf)
      return [...begin(), ...withLogprobs(chunks, readLogprobs(candidate.logprobsResult), writer)]
    },
    block(blockReason, feedback) {
      reason = blockReason
      isBlocked = true
      if (!context.strict) metadata = { ...metadata, promptFeedback: feedback }
      return begin()
    },
    end() {
      if (reason === null) return null
      const annotations = annotationsOf(metadata, text)
      const finish = finishOf({ reason, hasCalls: callCount > 0, isBlocked })
      const extras = context.strict ? {} : metadata
      return writer.delta(annotations.length === 0 ? {} : { annotations }, {
        ...finishMembers(finish, context),
        ...extras,
      })
    },
  }
}

/** The chunks of one event; its log probabilities are in the first. */
function withLogprobs(chunks: JsonObject[], logprobs: JsonObject | null, writer: ChoiceWriter): JsonObject[] {
  if (logprobs === null) return chunks
  const [first = writer.delta({}), ...rest] = chunks
  const choices = objectsOf(first.choices).map((choice) => ({ ...choice, logprobs }))
  return [{ ...first, choices }, ...rest]
}
