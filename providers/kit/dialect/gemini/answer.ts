/**
 * Converts a `generateContent` answer to a chat completion. Text parts are joined; function calls become tool calls
 * (or the legacy `function_call`, which contains the first one). Without strict compliance `message.content_blocks`
 * contains thoughts, images and executed code, and the choice the vendor's metadata.
 * Reference: https://ai.google.dev/api/generate-content (GenerateContentResponse)
 * Errors: `upstream_invalid_response` for a body without candidates that no filter explains.
 */
import { type CallContext, GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type ChatChoice, chatCompletion } from '../../chat/answer.ts'
import { objectsOf } from '../../chat/values.ts'
import { annotationsOf } from './citations.ts'
import { finishOf } from './finish-reason.ts'
import { readLogprobs } from './logprobs.ts'
import { metadataOf, readPart, type Said, signatureExtra } from './said.ts'
import { unifiedUsage } from './usage.ts'

/** Converts an answer to a chat completion. */
export function geminiAnswer(body: JsonObject, context: CallContext): JsonObject {
  const { responseId: id, modelVersion: model } = body
  const usage = unifiedUsage(body.usageMetadata)
  return chatCompletion({ id, model, choices: choicesOf(body, context), usage }, context)
}

function choicesOf(body: JsonObject, context: CallContext): ChatChoice[] {
  const candidates = objectsOf(body.candidates)
  if (candidates.length > 0) return candidates.map((candidate) => choiceOf(candidate, context))
  const reason = blockReasonOf(body)
  if (reason === null) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without candidates.')
  }
  const finish = finishOf({ reason, hasCalls: false, isBlocked: true })
  const { promptFeedback } = body
  return [{ content: '', calls: [], finish, extras: context.strict ? {} : { promptFeedback } }]
}

/** The reason why a prompt was blocked; null if it was not blocked. */
export function blockReasonOf({ promptFeedback: feedback }: JsonObject): string | null {
  return isObject(feedback) && typeof feedback.blockReason === 'string' ? feedback.blockReason : null
}

/** The parts of a candidate. */
export function partsOf({ content }: JsonObject): Json[] {
  return isObject(content) && Array.isArray(content.parts) ? content.parts : []
}

function choiceOf(candidate: JsonObject, context: CallContext): ChatChoice {
  const { index } = candidate
  const parts = partsOf(candidate)
  const said = parts.map((part) => readPart(part, context))
  const text = said.map((one) => (one?.kind === 'text' ? one.text : '')).join('')
  const calls = said.flatMap((one) => (one?.kind === 'call' ? [one.call] : []))
  const annotations = annotationsOf(candidate, text)
  return {
    ...(typeof index === 'number' ? { index } : {}),
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    message: {
      ...(annotations.length === 0 ? {} : { annotations }),
      ...(context.strict ? {} : { ...blocksOf(said), ...textSignature(parts) }),
    },
    finish: finishOf({ reason: candidate.finishReason, hasCalls: calls.length > 0 }),
    logprobs: readLogprobs(candidate.logprobsResult),
    extras: (context.strict ? null : metadataOf(candidate)) ?? {},
  }
}

/** Blocks in order, with consecutive texts joined; plain text alone is not an extra. */
function blocksOf(said: readonly Said[]): { content_blocks?: JsonObject[] } {
  const blocks: JsonObject[] = []
  for (const one of said) {
    if (one === null || one.kind === 'call' || (one.kind === 'text' && one.text === '')) continue
    const block = one.kind === 'text' ? { type: 'text', text: one.text } : one.block
    const last = blocks[blocks.length - 1]
    const joined = last === undefined ? null : join(last, block)
    if (joined === null) blocks.push(block)
    else blocks[blocks.length - 1] = joined
  }
  return blocks.every(({ type }) => type === 'text') ? {} : { content_blocks: blocks }
}

function join(one: JsonObject, other: JsonObject): JsonObject | null {
  const member = one.type === 'text' ? 'text' : 'thinking'
  if (one.type !== other.type || (one.type !== 'text' && one.type !== 'thinking')) return null
  return { ...one, [member]: `${String(one[member])}${String(other[member])}` }
}

/** Calls and media have their signatures themselves. */
const isSignedAlone = ({ functionCall, inlineData }: JsonObject): boolean =>
  functionCall !== undefined || inlineData !== undefined

/** The signature of the other parts. */
function textSignature(parts: Json[]): JsonObject {
  const signed = parts.findLast(
    (part) => isObject(part) && part.thoughtSignature !== undefined && !isSignedAlone(part),
  )
  return isObject(signed) ? signatureExtra(signed) : {}
}
