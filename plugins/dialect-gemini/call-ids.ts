/**
 * Ids of the calls in a conversation. The format's vendor gives calls no ids, or clients drop them: such a call gets one
 * by its place, the same in every request. A result without a known id belongs to the first unanswered call of its
 * function.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface CallIds {
  /** The id of the next call of the conversation. */
  ofCall(call: JsonObject): string
  /** The id of the call that this answers; null when there is none. */
  ofResult(result: JsonObject): string | null
}

interface Pending {
  id: string
  name: Json | undefined
  /** Whether the call came without an id. */
  isNumbered: boolean
}

const given = (id: Json | undefined): string | null => (typeof id === 'string' && id !== '' ? id : null)

/** @param contents the whole conversation, whose own ids are not used for other calls */
export function createCallIds(contents: Json | undefined): CallIds {
  const own = new Set(callsIn(contents).map(({ id }) => given(id)))
  let pending: Pending[] = []
  let number = 0

  function next(): string {
    let id: string
    do id = `call_${number++}`
    while (own.has(id))
    return id
  }

  return {
    ofCall({ id, name }) {
      const written = given(id)
      const made = { id: written ?? next(), name, isNumbered: written === null }
      pending.push(made)
      return made.id
    },
    ofResult({ id, name }) {
      const written = given(id)
      const found =
        pending.find((call) => written !== null && call.id === written) ??
        pending.find((call) => (written === null || call.isNumbered) && call.name === name)
      if (found === undefined) return written
      pending = pending.filter((call) => call !== found)
      return found.id
    },
  }
}

function callsIn(contents: Json | undefined): JsonObject[] {
  const list = Array.isArray(contents) ? contents.filter(isObject) : []
  const parts = list.flatMap(({ parts }) => (Array.isArray(parts) ? parts.filter(isObject) : []))
  return parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []))
}
