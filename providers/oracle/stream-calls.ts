/**
 * The calls of one choice in a stream. Models differ: some send a complete call, some begin it with id and name and
 * continue without them, some send no ids at all.
 */
import type { CallContext, JsonObject } from '@gateway/contract'
import type { ChoiceWriter } from '@gateway/provider-kit'
import type { SaidCall } from './said.ts'

interface OpenCall {
  id: string
  name: string
  arguments: string
}

export interface StreamCalls {
  add(said: readonly SaidCall[]): JsonObject[]
  count(): number
  /** A call without arguments streams none; they are the empty object. */
  end(): JsonObject[]
}

/** The calls of one choice. */
export function streamCalls(write: ChoiceWriter, context: CallContext): StreamCalls {
  const open: OpenCall[] = []

  function begin(call: SaidCall): JsonObject[] {
    const begun = { ...call, id: call.id === '' ? context.id('call_') : call.id }
    open.push(begun)
    return write.call(open.length - 1, begun)
  }

  function add(call: SaidCall): JsonObject[] {
    const index = indexOf(call, open)
    const known = open[index]
    if (known === undefined) return begin(call)
    if (call.arguments === '') return []
    known.arguments += call.arguments
    return write.callArguments(index, call.arguments)
  }

  return {
    add: (said) => said.flatMap(add),
    count: () => open.length,
    end: () => open.flatMap((call, index) => (call.arguments === '' ? write.callArguments(index, '{}') : [])),
  }
}

/** The call that a delta continues; -1 for a new one. */
function indexOf(call: SaidCall, open: readonly OpenCall[]): number {
  if (call.id !== '') return open.findIndex(({ id }) => id === call.id)
  const last = open.length - 1
  // A name without an id begins a call, unless the last call with that name is incomplete.
  const isNew = call.name !== '' && (open[last]?.name !== call.name || isWhole(open[last]?.arguments ?? ''))
  return isNew ? -1 : last
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
