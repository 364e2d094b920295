/**
 * Converts chat events to chunks. Cohere's formats end with an event that repeats the whole answer; text that was
 * already sent is skipped. A stream is complete with `[DONE]`, or when it closes after every choice has ended.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/StreamOptions
 * Errors: {@link UpstreamFault} for an error event.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { type ChoiceWriter, chatUsage, chunkWriter, opening, parseEvent } from '@gateway/provider-kit'
import { eventFault, failedAnswer } from './errors.ts'
import { messageExtras, readLogProbs } from './extras.ts'
import { formatOf } from './format.ts'
import { isFailure, readCounts, readFinish, readSaid } from './said.ts'
import { type StreamCalls, streamCalls } from './stream-calls.ts'

/** A translator for one stream. */
export function oracleStream(context: CallContext): StreamTranslator {
  const { request, settings } = context
  const wanted = typeof request.n === 'number' ? request.n : 1
  const repeats = formatOf(request, settings) !== 'GENERIC'
  const write = chunkWriter(context)
  const choices = new Map<number, StreamChoice>()
  let usage: Json | undefined

  function read(event: JsonObject): JsonObject[] {
    const fault = eventFault(event)
    if (fault !== null) throw fault
    if (isObject(event.usage)) usage = event.usage
    if (!speakers.some((member) => event[member] !== undefined)) return []
    const index = typeof event.index === 'number' ? event.index : 0
    const known = choices.get(index)
    const writer = write.choice(index)
    const choice = known ?? streamChoice(writer, repeats, context)
    choices.set(index, choice)
    return [...(known === undefined ? [writer.delta(opening)] : []), ...choice.read(event)]
  }

  const isComplete = () => [...choices.values()].filter((choice) => choice.isFinished()).length >= wanted
  const told = () => (usage === undefined ? [] : write.usage(chatUsage(readCounts(usage))))

  return {
    event({ data }) {
      if (data === '[DONE]') return { chunks: told(), done: true }
      return { chunks: read(parseEvent(data)), done: false }
    },
    end: () => (isComplete() ? { chunks: told(), done: true } : { chunks: [], done: false }),
  }
}

/** Members of events with content; other events report usage, or keep the connection open. */
const speakers = ['message', 'text', 'toolCalls', 'finishReason']

interface StreamChoice {
  read(event: JsonObject): JsonObject[]
  isFinished(): boolean
}

function streamChoice(write: ChoiceWriter, repeats: boolean, context: CallContext): StreamChoice {
  const calls: StreamCalls = streamCalls(write, context)
  let hasText = false
  let isFinished = false

  function said(event: JsonObject): JsonObject[] {
    const { text, thinking, calls: given } = readSaid(event)
    const isRepeated = repeats && isEnd(event)
    const chunks: JsonObject[] = []
    if (thinking !== '' && !context.strict && !(isRepeated && hasText)) {
      chunks.push(write.delta({ content_blocks: [{ index: 0, type: 'thinking', thinking }] }))
    }
    if (text !== '' && !(isRepeated && hasText)) {
      hasText = true
      chunks.push(write.delta({ content: text }, { logprobs: readLogProbs(event.logprobs) }))
    }
    const extras = messageExtras(event, { text: '', thinking: '', calls: [] }, context)
    if (Object.keys(extras).length > 0) chunks.push(write.delta(extras))
    return isRepeated && calls.count() > 0 ? chunks : [...chunks, ...calls.add(given)]
  }

  return {
    isFinished: () => isFinished,
    read(event) {
      if (isFailure(event.finishReason)) throw failedAnswer(event)
      if (isFinished) return []
      const chunks = said(event)
      if (!isEnd(event)) return chunks
      isFinished = true
      return [...chunks, ...calls.end(), write.finish(readFinish(event.finishReason, calls.count() > 0))]
    },
  }
}

const isEnd = ({ finishReason }: JsonObject): boolean =>
  typeof finishReason === 'string' && finishReason !== ''
