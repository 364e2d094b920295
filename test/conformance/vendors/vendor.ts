/**
 * The interface of a vendor in the conformance suite: the answers of a vendor of one dialect, and the data that it
 * reads from a request. One file per family; `index.ts` lists them. Every fixture is written from the vendor's
 * published reference, which its file names.
 */
import type { InferenceEndpoint, JsonObject } from '@gateway/contract'
import type { SeenRequest } from '../../support/upstream.ts'

/** Features that a provider may lack, and must then refuse instead of ignoring. */
export type Feature = 'tools' | 'images' | 'schema'

/** The vendor's answer, independent of the dialect. */
export interface Said {
  /** The text; empty if the answer only calls tools. */
  text: string
  /** The same text as it streams. */
  pieces: readonly string[]
  calls: readonly SaidCall[]
  /** `read` and `written`: of the prompt, from and to a cache. */
  usage: { prompt: number; completion: number; read?: number; written?: number }
  /** The vectors of embeddings, one per input. */
  vectors: readonly (readonly number[])[]
  /** A PNG in base64. */
  image: string
  /** Relevance of the documents, by their index. */
  scores: readonly number[]
}

interface SaidCall {
  id: string
  name: string
  input: JsonObject
}

/** The call that a vendor answers. */
export interface PlayedCall {
  /** Name of the adapter that called. */
  adapter: string
  endpoint: InferenceEndpoint
  model: string
  request: SeenRequest
}

export interface VendorAnswer {
  status: number
  headers: Record<string, string>
  /** The body, in the pieces in which it is written. */
  pieces: readonly Buffer[]
}

/** The data that the vendor reads from a request. */
export interface Heard {
  /** Every text: of the conversation, the prompt, the inputs, the query, the documents. */
  texts: readonly string[]
  /** Names of the tools. */
  tools?: readonly string[]
  /** Images as base64 or as URLs. */
  images?: readonly string[]
  /** The schema that the answer must match. */
  schema?: unknown
}

export interface Vendor {
  /** Names of its dialects; `ADAPTER:ENDPOINT` for a procedure. */
  dialects: readonly string[]
  /** Answers a call whole. */
  whole(said: Said, call: PlayedCall): VendorAnswer
  /** Answers the same as a stream; absent where the vendor does not stream. */
  stream?(said: Said, call: PlayedCall): VendorAnswer
  /** An error with this status, in the vendor's form. */
  error(status: number, message: string, call: PlayedCall): VendorAnswer
  heard(call: PlayedCall): Heard
  /** Features that it lacks, for every adapter with its dialect. */
  lacks?: readonly Feature[]
  /** Its tool calls have no ids of their own. */
  hasNoCallIds?: boolean
  /** It counts no tokens, or counts them itself. */
  hasNoUsage?: boolean
  /** It is asked once for each text. */
  isAskedPerText?: boolean
  /** It is part of the gateway: no network, and it repeats the user's message. */
  isLocal?: boolean
}

/** A JSON answer. */
export function jsonAnswer(body: unknown, status = 200, headers: Record<string, string> = {}): VendorAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [Buffer.from(JSON.stringify(body))],
  }
}

/** A stream of server-sent events: `data` alone, or with a name. */
export function eventAnswer(
  events: readonly (JsonObject | string | [name: string, data: JsonObject])[],
): VendorAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    pieces: events.map((event) => {
      const [name, data] = Array.isArray(event) ? event : [null, event]
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      return Buffer.from(`${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`)
    }),
  }
}

/** A member of a JSON value by keys and indexes, or undefined. */
export function member(value: unknown, ...path: (string | number)[]): unknown {
  let found: unknown = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string | number, unknown>)[key]
  }
  return found
}

/** A JSON array; empty for other values. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Every text in a JSON value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
