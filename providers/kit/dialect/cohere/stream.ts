/**
 * Converts chat events to chat completion chunks, with one translator per stream. Unknown events are ignored. A
 * stream is complete only with `message-end`.
 * Reference: https://docs.cohere.com/docs/streaming, https://docs.cohere.com/docs/tool-use-streaming
 * Errors: {@link UpstreamFault} for an event with an error, and for the end of a failed generation.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { chunkWriter } from '../../chat/chunks.ts'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { parseEvent } from '../../parse-event.ts'
import { faultOf, readEnd } from './end.ts'
import { citationMembers, unifiedLogprobs, unifiedUsage } from './parts.ts'
import { callDeltas } from './tool-deltas.ts'
import type { ChatEvent } from './types.ts'

/** A translator for one stream. */
export function cohereStream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  const calls = callDeltas(context, writer)
  /** The offset of each content block in the whole text. */
  const starts = new Map<number, number>()
  let length = 0

  function said(text: string, members: JsonObject = {}): JsonObject[] {
    length += text.length
    return text === '' ? [] : [writer.delta({ content: text }, members)]
  }

  function content({ index, delta, logprobs }: JsonObject): JsonObject[] {
    const block = objectOf(messageOf(delta).content)
    const probabilities = unifiedLogprobs(logprobs)
    const text = said(textOf(block.text), probabilities === null ? {} : { logprobs: probabilities })
    const thinking = textOf(block.thinking)
    if (context.strict || thinking === '') return text
    return [writer.delta({ content_blocks: [{ index, type: 'thinking', thinking }] }), ...text]
  }

  const handlers: Record<ChatEvent['type'], (event: JsonObject) => JsonObject[]> = {
    'message-start': ({ id }) => writer.begin(id, undefined),
    'content-start'(event) {
      if (typeof event.index === 'number') starts.set(event.index, length)
      return content(event)
    },
    'content-delta': content,
    'content-end': () => [],
    'tool-plan-delta': ({ delta }) => said(textOf(messageOf(delta).tool_plan)),
    'tool-call-start': ({ index, delta }) => calls.start(index, callOf(delta)),
    'tool-call-delta': ({ index, delta }) => calls.more(index, callOf(delta)),
    'tool-call-end': ({ index }) => calls.end(index),
    'citation-start'({ delta }) {
      const { citations } = messageOf(delta)
      const given = isObject(citations) ? [citations] : objectsOf(citations)
      const members = citationMembers(given, (index) => starts.get(index) ?? 0, context.strict)
      return Object.keys(members).length === 0 ? [] : [writer.delta(members)]
    },
    'citation-end': () => [],
    'message-end'({ delta }) {
      const { finish_reason: reason, error, usage } = objectOf(delta)
      const finish = writer.finish(readEnd(reason, error))
      return [finish, ...writer.usage(unifiedUsage(usage, context.strict))]
    },
    debug: () => [],
  }

  return {
    event({ data }) {
      const event = parseEvent(data)
      const type = textOf(event.type)
      if (isKnown(type, handlers)) return { chunks: handlers[type](event), done: type === 'message-end' }
      throwError(type, event)
      return { chunks: [], done: false }
    },
    end: () => ({ chunks: [], done: false }),
  }
}

const messageOf = (delta: Json | undefined): JsonObject => objectOf(objectOf(delta).message)

function callOf(delta: Json | undefined): JsonObject {
  const { tool_calls: given } = messageOf(delta)
  return isObject(given) ? given : (objectsOf(given)[0] ?? {})
}

function isKnown<Name extends string>(type: string, handlers: Record<Name, unknown>): type is Name {
  return Object.hasOwn(handlers, type)
}

/** The error body of the API, as an event. */
function throwError(type: string, { message, error }: JsonObject): void {
  const said = textOf(message) || textOf(error)
  if (type === 'error' || (type === '' && said !== '')) {
    throw faultOf(502, said || 'The provider ended the stream with an error.', 'upstream_error')
  }
}
