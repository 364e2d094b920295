/**
 * Message events → chat completion chunks, one translator a stream. Unknown events and blocks are passed over,
 * as the vendor asks. A stream is complete with `message_stop` and only with it.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/streaming
 * Errors: {@link UpstreamFault} for an `error` event.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
  type Translated,
  UpstreamFault,
} from '@gateway/core/contract'
import { parseEvent } from '../../parse-event.ts'
import { anthropicError, statusOfType } from './errors.ts'
import { finishReason } from './finish-reason.ts'
import { toolDeltas } from './tool-deltas.ts'
import { mergeUsage, unifiedUsage } from './usage.ts'

/** A translator for one stream. */
export function anthropicStream(context: CallContext): StreamTranslator {
  const head = {
    id: '',
    object: 'chat.completion.chunk',
    created: Math.floor(context.now() / 1000),
    model: context.request.model,
  }
  const tools = toolDeltas(context)
  let usage: JsonObject = {}

  const chunk = (delta: JsonObject, rest: JsonObject = { finish_reason: null }): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, ...rest }],
    ...(context.includeUsage ? { usage: null } : {}),
  })

  const handlers: Record<string, (event: JsonObject) => JsonObject[]> = {
    message_start({ message }) {
      if (!isObject(message)) return []
      head.id = typeof message.id === 'string' ? message.id : context.id('chatcmpl-')
      head.model = message.model ?? head.model
      usage = mergeUsage(usage, message.usage)
      return [chunk({ role: 'assistant', content: '' })]
    },
    content_block_start({ index, content_block: block }) {
      if (!isObject(block)) return []
      if (block.type === 'tool_use') return [chunk(tools.start(index, block))]
      return blockDeltas(index, block, context).map((delta) => chunk(delta))
    },
    content_block_delta({ index, delta }) {
      if (!isObject(delta)) return []
      const deltas =
        delta.type === 'input_json_delta' ? tools.input(index, delta) : partDeltas(index, delta, context)
      return deltas.map((part) => chunk(part))
    },
    content_block_stop: ({ index }) => tools.stop(index).map((part) => chunk(part)),
    message_delta({ delta, usage: totals }) {
      usage = mergeUsage(usage, totals)
      if (!isObject(delta) || typeof delta.stop_reason !== 'string') return []
      return [chunk({}, finishReason(delta.stop_reason, context))]
    },
    message_stop: () =>
      context.includeUsage ? [{ ...head, choices: [], usage: unifiedUsage(usage, context.strict) }] : [],
  }

  function translate(event: JsonObject): Translated {
    const type = typeof event.type === 'string' ? event.type : ''
    if (type === 'error') throw faultOf(event)
    const chunks = Object.hasOwn(handlers, type) ? (handlers[type]?.(event) ?? []) : []
    return { chunks, done: type === 'message_stop' }
  }

  return {
    event: ({ data }) => translate(parseEvent(data)),
    end: () => ({ chunks: [], done: false }),
  }
}

/** What a block says when it starts: mostly nothing yet. */
function blockDeltas(index: Json | undefined, block: JsonObject, context: CallContext): JsonObject[] {
  if (block.type === 'text') return textDelta(block.text)
  if (context.strict || block.type === 'thinking') return []
  return [{ content_blocks: [{ index, ...block }] }]
}

const extraDeltas = new Set(['thinking_delta', 'signature_delta', 'citations_delta'])

function partDeltas(index: Json | undefined, delta: JsonObject, context: CallContext): JsonObject[] {
  if (delta.type === 'text_delta') return textDelta(delta.text)
  if (context.strict || typeof delta.type !== 'string' || !extraDeltas.has(delta.type)) return []
  const { type, citation, ...part } = delta
  const kind = type === 'citations_delta' ? 'text' : 'thinking'
  const cited = citation === undefined ? {} : { citations: [citation] }
  return [{ content_blocks: [{ index, type: kind, ...part, ...cited }] }]
}

function textDelta(text: Json | undefined): JsonObject[] {
  return typeof text === 'string' && text !== '' ? [{ content: text }] : []
}

function faultOf(event: JsonObject): UpstreamFault {
  const type = isObject(event.error) ? event.error.type : undefined
  const status = statusOfType(type)
  const message = 'The provider ended the stream with an error.'
  const blank = { status, message, type: 'upstream_error', param: null, code: 'upstream_error' }
  return new UpstreamFault(anthropicError(status, event) ?? blank)
}
