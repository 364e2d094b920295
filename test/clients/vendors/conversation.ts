/** The data that a scripted vendor reads from a request of any format, and its refusals. */
import type { JsonObject } from '@gateway/contract'
import type { SeenRequest } from '../../support/upstream.ts'

export type Turn =
  | { kind: 'user'; text: string; images: number }
  | { kind: 'call'; id: string }
  | { kind: 'result'; id: string; text: string; images: number }
  | { kind: 'model' }

export interface Conversation {
  turns: readonly Turn[]
  tools: readonly OfferedTool[]
  isStreamed: boolean
  /** Whether the vendor itself should compact the conversation and answer with a compaction item. */
  isCompacted?: boolean
}

export interface OfferedTool {
  name: string
  /** Whether its input is text (a custom tool of Responses). */
  isText?: boolean
}

/** A vendor's refusal: status 400 with this message, in the vendor's own form. */
export class Refusal extends Error {}

export interface Format {
  /** Errors: Refusal, for requests that the vendor refuses. */
  read(request: SeenRequest): Conversation
}

/** Refuses members that the vendor does not know. @param explain the vendor's sentence about one */
export function refuseUnknown(
  value: JsonObject,
  known: ReadonlySet<string>,
  explain: (name: string) => string,
): void {
  for (const name of Object.keys(value)) if (!known.has(name)) throw new Refusal(explain(name))
}

/** Refuses a name that does not match. */
export function refuseName(name: unknown, pattern: RegExp, place: string): string {
  if (typeof name !== 'string' || !pattern.test(name))
    throw new Refusal(`${place}: ${JSON.stringify(name)} does not match ${pattern.source}`)
  return name
}

/**
 * Refuses a call without its result right after it, and a result without its call before it.
 * @param calls of one turn of the model, and the results of the turn after it
 */
export function refuseUnpaired(calls: readonly string[], results: readonly string[], place: string): void {
  for (const id of calls) if (!results.includes(id)) throw new Refusal(`${place}: call ${id} has no result`)
  for (const id of results) if (!calls.includes(id)) throw new Refusal(`${place}: result ${id} has no call`)
}

/** Names separated by spaces. */
export const names = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).filter((name) => name !== ''))
