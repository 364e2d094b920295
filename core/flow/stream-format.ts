/**
 * What the gateway has to know of a format in which answers stream: how its events are written, which one is the last,
 * where text stands in them. One object for each format that callers speak; an endpoint's declaration names its own.
 * Inside the pipeline a stream is always in its caller's format.
 */
import type { JsonObject, StreamEvent, UpstreamFault } from '@gateway/contract'
import type { Usage } from './usage.ts'

/** Text that an event adds. */
export interface Delta {
  /** JSON pointer into the whole answer: `/choices/0/message/content`. */
  path: string
  text: string
}

export interface StreamFormat {
  /** An event as bytes. */
  write(event: JsonObject): Buffer
  /** What stands behind all events of a complete stream; empty where the last event itself says that it is complete. */
  ending: Buffer
  /** What is sent behind the last event of a complete stream, for clients that wait for it. */
  trailer: Buffer | null
  /** Bytes of which a buffer of whole events has at least one, if it holds the last event or an error. */
  marks: readonly Buffer[]
  /** Whether the stream is complete with this event. */
  isLast(event: StreamEvent): boolean
  /** The last event as it goes out. */
  writeLast(event: StreamEvent): Buffer
  /** What an event of an upstream says went wrong; null for every other event. */
  readError(event: StreamEvent): UpstreamFault | null
  /** Whether an event only says that an answer begins. */
  isOpening(event: JsonObject): boolean

  /** The texts that an event adds: those that the endpoint's declaration reads of the whole answer. */
  deltas(event: JsonObject): Delta[]
  /** Texts of one group are written one after the other: while one of them grows, the others rest. */
  groupOf(path: string): string
  /** Beginnings of the paths whose texts are complete with this event. */
  ended(event: JsonObject): string[]

  /** The whole answer of all its events. */
  assemble(events: readonly JsonObject[]): JsonObject
  /** The events of a whole answer, to its last one. */
  disassemble(body: JsonObject): JsonObject[]

  /** Without any of these bytes an event has no usage. */
  usageMarks: readonly Buffer[]
  /** The tokens that a whole answer or an event names, on top of what was named before; null when none were. */
  usageOf(body: JsonObject, before: Usage | null): Usage | null

  /** The body of an error as this format's clients read it. */
  errorBody(body: JsonObject): JsonObject
  /** An error in the middle of a stream: its last event. `sent` is what went out last. */
  writeError(body: JsonObject, sent: Buffer | null): Buffer
  /** What the gateway adds, as an event of its own; it stands before what ends the stream. */
  writeExtra(extra: JsonObject): Buffer
}
