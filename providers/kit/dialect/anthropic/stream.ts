/**
 * Converts message events to chat completion chunks, with one translator per stream. Unknown events and blocks are
 * ignored, as the vendor asks. A stream is complete only with `message_stop`.
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
} from '@gateway/contract'
import { blockDeltas } from '../../chat/block-deltas.ts'
import { chunkWriter } from '../../chat/chunks.ts'
import { textOf } from '../../chat/values.ts'
import { parseEvent } from '../../parse-event.ts'
import { streamedCitations } from './citations.ts'
import { faultOf } from './errors.ts'
import { finishOf, refusalOf } from './finish-reason.ts'
import { serverTools } from './server-tools.ts'
import { toolDeltas } from './tool-deltas.ts'
import { mergeUsage, unifiedUsage } from './usage.ts'

/** A translator for one stream. */
export function anthropicStream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  const tools = toolDeltas(writer)
  const server = serverTools()
  const citations = streamedCitations()
  const blocks = blockDeltas()
  let usage: JsonObject = {}

  function said(index: Json | undefined, given: Json | undefined): JsonObject[] {
    const text = textOf(given)
    if (text === '') return []
    citations.text(index, text)
    return [writer.delta({ content: text, ...(context.strict ? {} : blocks.text(index, text)) })]
  }

  const shown = ({ index, ...block }: JsonObject): JsonObject[] => [writer.delta(blocks.block(index, block))]

  /** Content in addition to the text. */
  function extraChunks(index: Json | undefined, { type, citation, ...part }: JsonObject): JsonObject[] {
    // Called when the text of the block continues.
    if (type === 'citations_delta')
      return [writer.delta({ content_blocks: [{ index, type: 'text', citations: [citation ?? null] }] })]
    if (type !== 'thinking_delta' && type !== 'signature_delta') return []
    // Hidden thinking has only a signature; the block is sent back with an empty text.
    return shown({ index, type: 'thinking', thinking: '', ...part })
  }

  const handlers: Record<string, (event: JsonObject) => JsonObject[]> = {
    message_start({ message }) {
      if (!isObject(message)) return []
      usage = mergeUsage(usage, message.usage)
      return writer.begin(message.id, message.model)
    },
    content_block_start({ index, content_block: block }) {
      if (!isObject(block)) return []
      if (block.type === 'tool_use') {
        blocks.call(index, textOf(block.id))
        return tools.start(index, block)
      }
      if (block.type === 'text') return said(index, block.text)
      if (context.strict || block.type === 'thinking') return []
      return server.start(index, block) ? [] : shown({ index, ...block })
    },
    content_block_delta({ index, delta }) {
      if (!isObject(delta)) return []
      if (delta.type === 'text_delta') return said(index, delta.text)
      if (delta.type === 'input_json_delta') {
        server.input(index, delta)
        return tools.input(index, delta)
      }
      if (delta.type === 'citations_delta') citations.add(index, delta.citation ?? null)
      return context.strict ? [] : extraChunks(index, delta)
    },
    content_block_stop({ index }) {
      const annotations = citations.end(index)
      const use = server.stop(index)
      return [
        ...tools.stop(index),
        ...(use === null ? [] : shown({ index, ...use })),
        ...(annotations.length === 0 ? [] : [writer.delta({ annotations })]),
      ]
    },
    message_delta({ delta, usage: totals }) {
      usage = mergeUsage(usage, totals)
      if (!isObject(delta) || typeof delta.stop_reason !== 'string') return []
      const refusal = refusalOf(delta)
      const finish = writer.finish(finishOf(delta.stop_reason))
      return refusal.refusal === undefined ? [finish] : [writer.delta(refusal), finish]
    },
    message_stop: () => writer.usage(unifiedUsage(usage, context.strict)),
  }

  function translate(event: JsonObject): Translated {
    const type = textOf(event.type)
    if (type === 'error') throw faultOf(event)
    const chunks = Object.hasOwn(handlers, type) ? (handlers[type]?.(event) ?? []) : []
    return { chunks, done: type === 'message_stop' }
  }

  return {
    event: ({ data }) => translate(parseEvent(data)),
    end: () => ({ chunks: [], done: false }),
  }
}
