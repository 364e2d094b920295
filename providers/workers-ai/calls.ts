/**
 * Function calls in the formats of different models: `{name, arguments}` with an object, `{id, function: {name,
 * arguments}}` with a string, and the latter in parts.
 * Reference: https://developers.cloudflare.com/workers-ai/features/function-calling/
 */
import { type CallContext, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type ChoiceWriter, objectsOf, type ToolCall, textOf } from '@gateway/provider-kit'

/** A call, or a part of one. */
interface CallPiece {
  id: string
  name: string
  arguments: string
}

function readPiece(call: JsonObject): CallPiece {
  const source = isObject(call.function) ? call.function : call
  return { id: textOf(call.id), name: textOf(source.name), arguments: argumentsText(source.arguments) }
}

const argumentsText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The calls of a plain answer; a call without an id gets one. */
export function readCalls(list: Json | undefined, context: CallContext): ToolCall[] {
  return objectsOf(list)
    .map(readPiece)
    .filter(({ name }) => name !== '')
    .map((call) => ({
      id: call.id === '' ? context.id('call_') : call.id,
      name: call.name,
      arguments: call.arguments.trim() === '' ? '{}' : call.arguments,
    }))
}

export interface StreamCalls {
  /** The chunks for the calls in an event. */
  add(list: Json | undefined): JsonObject[]
  /** The chunks to send when no more calls follow. */
  end(): JsonObject[]
  count(): number
}

/** The calls of one stream. */
export function streamCalls(write: ChoiceWriter, context: CallContext): StreamCalls {
  /** Maps the model's number of a call to the gateway's number, and whether it has arguments. */
  const known = new Map<number, { index: number; hasArguments: boolean }>()

  /** A part without a number belongs to a new call if it has a name, otherwise to the last call. */
  function numberOf(call: JsonObject, { name }: CallPiece): number {
    if (typeof call.index === 'number') return call.index
    const last = Math.max(-1, ...known.keys())
    return name === '' ? last : last + 1
  }

  function addOne(call: JsonObject): JsonObject[] {
    const piece = readPiece(call)
    const number = numberOf(call, piece)
    const open = known.get(number)
    if (open !== undefined) {
      if (piece.arguments === '') return []
      open.hasArguments = true
      return write.callArguments(open.index, piece.arguments)
    }
    // An empty part marks the end of a call.
    if (piece.name === '') return []
    const begun = { index: known.size, hasArguments: piece.arguments !== '' }
    known.set(number, begun)
    return write.call(begun.index, { ...piece, id: piece.id === '' ? context.id('call_') : piece.id })
  }

  return {
    add: (list) => objectsOf(list).flatMap(addOne),
    end: () =>
      [...known.values()]
        .filter(({ hasArguments }) => !hasArguments)
        .flatMap(({ index }) => write.callArguments(index, '{}')),
    count: () => known.size,
  }
}
