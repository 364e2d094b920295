/**
 * Tool calls of a stream with their own numbering. A function without parameters is called without arguments or with
 * `null`, which becomes the empty object: text that may still become `null` is held back.
 * Reference: https://docs.cohere.com/docs/tool-use-streaming
 */
import type { CallContext, Json, JsonObject } from '@gateway/contract'
import type { ChunkWriter } from '../../chat/chunks.ts'
import { objectOf, textOf } from '../../chat/values.ts'

interface OpenCall {
  index: number
  /** Arguments that were not sent yet. */
  held: string
  hasArguments: boolean
}

export interface CallDeltas {
  start(callIndex: Json | undefined, call: JsonObject): JsonObject[]
  more(callIndex: Json | undefined, call: JsonObject): JsonObject[]
  end(callIndex: Json | undefined): JsonObject[]
}

/** The tool calls of one stream. */
export function callDeltas(context: CallContext, writer: ChunkWriter): CallDeltas {
  const open = new Map<Json | undefined, OpenCall>()
  let count = 0

  function add(call: OpenCall, text: string): JsonObject[] {
    call.held += text
    if (call.held === '' || mayBeNull(call.held)) return []
    const sent = call.held
    call.held = ''
    call.hasArguments = true
    return writer.callArguments(call.index, sent)
  }

  return {
    start(callIndex, given) {
      const call: OpenCall = { index: count++, held: '', hasArguments: false }
      open.set(callIndex, call)
      const { name, arguments: args } = objectOf(given.function)
      const id = textOf(given.id) || context.id('call_')
      const first = writer.call(call.index, { id, name: textOf(name), arguments: '' })
      return [...first, ...add(call, textOf(args))]
    },
    more(callIndex, given) {
      const call = open.get(callIndex)
      const text = textOf(objectOf(given.function).arguments)
      return call === undefined ? [] : add(call, text)
    },
    end(callIndex) {
      const call = open.get(callIndex)
      open.delete(callIndex)
      return call === undefined || call.hasArguments ? [] : writer.callArguments(call.index, '{}')
    },
  }
}

const mayBeNull = (text: string): boolean => 'null'.startsWith(text.trim())
