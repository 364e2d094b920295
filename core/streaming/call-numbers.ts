/**
 * Numbers the tool calls of an answer: a new call begins at another `index` or another `id`. A call without an id gets
 * an id that is unique within its conversation, and that stays the same if the request is repeated. Arguments that are an
 * object become text.
 */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '@gateway/contract'

interface Call {
  /** The index and id that the provider sent. */
  index: number
  id: string
  /** The index and id that the caller receives. */
  number: number
  shownId: string
}

const idOf = ({ id }: JsonObject): string => (typeof id === 'string' ? id : '')

const namesFunction = ({ function: called }: JsonObject): boolean =>
  isObject(called) && typeof called.name === 'string' && called.name !== ''

/** An id derived from the conversation so far and the position of the call in its answer. */
function newId({ messages }: JsonObject, choice: number, number: number): string {
  const said: readonly Json[] = Array.isArray(messages) ? messages : []
  const place = [said.length, said.at(-1) ?? null, choice, number]
  return `call_${createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 24)}`
}

/** The call with its arguments as text; the same object if they are text. */
function withWrittenArguments(call: JsonObject): JsonObject {
  const { function: called } = call
  return isObject(called) && isObject(called.arguments)
    ? { ...call, function: { ...called, arguments: JSON.stringify(called.arguments) } }
    : call
}

/** The message of a whole answer, with an id and written arguments for each call. */
export function withCallIds(message: JsonObject, request: JsonObject, choice: number): JsonObject {
  const { tool_calls: calls } = message
  if (!Array.isArray(calls)) return message
  const tool_calls = calls.map((call, number) => {
    if (!isObject(call)) return call
    const written = withWrittenArguments(call)
    return idOf(call) === '' ? { ...written, id: newId(request, choice, number) } : written
  })
  return tool_calls.some((call, number) => call !== calls[number]) ? { ...message, tool_calls } : message
}

/** Whether a part with the index of a call continues it; `isTaken`: this delta has another part with the index. */
function isContinued(call: Call, part: JsonObject, isTaken: boolean): boolean {
  const id = idOf(part)
  if (id === '') return !(isTaken && namesFunction(part))
  // The id of a call can come after its name.
  return call.id === id || (call.id === '' && !namesFunction(part))
}

/** Numbers the calls in the deltas of one choice. */
export function createCallNumbers(request: JsonObject, choice: number): (delta: JsonObject) => JsonObject {
  const calls: Call[] = []

  function callOf(part: JsonObject, index: number, isTaken: boolean): { call: Call; isNew: boolean } {
    const id = idOf(part)
    const ofIndex = calls.filter((call) => call.index === index)
    const known = ofIndex.find((call) => id !== '' && call.id === id) ?? ofIndex.at(-1)
    if (known !== undefined && isContinued(known, part, isTaken)) return { call: known, isNew: false }
    const number = calls.length
    const call = { index, id, number, shownId: id === '' ? newId(request, choice, number) : id }
    calls.push(call)
    return { call, isNew: true }
  }

  return (delta) => {
    const { tool_calls: parts } = delta
    if (!Array.isArray(parts)) return delta
    // A delta lists each call once.
    const taken = new Set<number>()
    let isChanged = false
    const tool_calls = parts.map((part, position): Json => {
      if (!isObject(part)) return part
      const index = typeof part.index === 'number' ? part.index : position
      const { call, isNew } = callOf(part, index, taken.has(index))
      taken.add(index)
      const id = idOf(part)
      const isNamed = id === '' ? !isNew : id === call.shownId
      const written = withWrittenArguments(part)
      if (part.index === call.number && isNamed && written === part) return part
      isChanged = true
      return { ...written, index: call.number, ...(isNamed ? {} : { id: call.shownId }) }
    })
    return isChanged ? { ...delta, tool_calls } : delta
  }
}
