/**
 * Assigns ids to the calls in a conversation. The vendor omits ids, or clients drop them, so each call without one gets
 * an id by its position, which is the same in every request. A result without a known id belongs to the first
 * unanswered call of its function.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface CallIds {
  /** The id of the conversation's next call. */
  ofCall(call: JsonObject): string
  /** The id of the call that the result answers; null if there is none. */
  ofResult(result: JsonObject): string | null
}

interface Pending {
  id: string
  name: Json | undefined
  /** Whether the call came without an id. */
  isNumbered: boolean
}

const given = (id: Json | undefined): string | null => (typeof id === 'string' && id !== '' ? id : null)

/** @param contents the whole conversation, whose existing ids are not assigned to other calls */
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
