/**
 * A streaming format: the encoding of events, the last event, and the texts in events. One object for each client format,
 * referenced by the endpoint's declaration. Inside the pipeline a stream is always in its caller's format.
 */
import type { TooLong, UpstreamFault } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { StreamEvent } from '../provider.ts'
import type { Usage } from './usage.ts'

/** A text that an event adds to the answer. */
export interface Delta {
  /** JSON pointer into the whole answer: `/choices/0/message/content`. */
  path: string
  text: string
}

/**
 * The text, reasoning and arguments that the model writes: a stream that is cut off is charged for them. Each counts
 * once; what repeats the request or earlier events does not count.
 */
export interface WrittenText {
  /** Byte sequences at least one of which appears in every event with such text. */
  marks: readonly Buffer[]
  /** The texts of an event. */
  deltas(event: JsonObject): Delta[]
}

/** The call whose answer is corrected. */
export interface RepairContext {
  /** The request in the format. */
  request: JsonObject
  /** `strict_compat_compliance`. */
  strict: boolean
}

/** Corrections of answers whose provider deviates from the format. They return the same object if nothing needs correcting. */
export interface Repair {
  /** An event without any of these byte sequences needs no correction. */
  marks: readonly Buffer[]
  /** Corrects a whole answer. */
  answer(body: JsonObject, context: RepairContext): JsonObject
  /** Corrects the events of one stream. */
  stream(context: RepairContext): (event: JsonObject) => JsonObject
}

/** Details that an error body lacks. */
export interface ErrorAbout {
  /** The HTTP status. For an error inside a stream, the status that the request would have been answered with. */
  status: number
  /** The request is too long for the model. */
  tooLong: TooLong | null
  /** The answer's `retry-after` header. */
  retryAfter: string | null
}

/** A failed stream. */
export interface StreamFailure extends Pick<ErrorAbout, 'status' | 'tooLong'> {
  /** The data of the last event sent; null when nothing was sent. */
  sent: Buffer | null
  request: JsonObject
  /** The code of the format's own failure, where clients act on it; null for an ordinary error. */
  code: string | null
}

export interface StreamFormat {
  /** An event as bytes. */
  write(event: JsonObject): Buffer
  /** The terminator after the events of a complete stream; empty when the last event is the terminator. */
  ending: Buffer
  /** Sent after the last event of a complete stream, for clients that wait for it. */
  trailer: Buffer | null
  /** Byte sequences at least one of which appears in every buffer with the last event or an error. */
  marks: readonly Buffer[]
  /** Whether the stream is complete with this event. */
  isLast(event: StreamEvent): boolean
  /** The last event as sent. */
  writeLast(event: StreamEvent): Buffer
  /**
   * An event that completes texts ({@link ended}) has one of these byte sequences: a stream whose texts are complete may
   * end without its last event. Empty if the last event is necessary.
   */
  finishMarks: readonly Buffer[]
  /** Null if no corrections are known. */
  repair: Repair | null
  /** The error of an upstream's event; null for other events. */
  readError(event: StreamEvent): UpstreamFault | null
  /** Whether an event only starts an answer. */
  isOpening(event: JsonObject): boolean

  /** The texts that an event adds, matching those that the endpoint reads from the whole answer. */
  deltas(event: JsonObject): Delta[]
  written: WrittenText
  /**
   * The text of an event that adds nothing else, so that two of them equal one with both texts; null for every other
   * event.
   */
  textAlone(event: JsonObject): string | null
  /** Texts of one group are written one after another, never interleaved. */
  groupOf(path: string): string
  /** Prefixes of the paths whose texts this event completes. */
  ended(event: JsonObject): string[]

  /** Assembles the whole answer from its events. */
  assemble(events: readonly JsonObject[]): JsonObject
  /** Splits a whole answer into events, including the last one. */
  disassemble(body: JsonObject): JsonObject[]

  /** An event without any of these byte sequences has no usage. */
  usageMarks: readonly Buffer[]
  /** Token counts of a whole answer or an event, merged with earlier ones; null if neither has any. */
  usageOf(body: JsonObject, before: Usage | null): Usage | null

  /** Renders an error body in this format. */
  errorBody(body: JsonObject, about: ErrorAbout): JsonObject
  /** The last event of a stream that fails. */
  writeError(body: JsonObject, failure: StreamFailure): Buffer
  /**
   * A complete stream with only the error, for a request that failed before its first event. Null: such a request is answered
   * with its HTTP status.
   */
  writeFailed: ((body: JsonObject, failure: StreamFailure) => Buffer) | null
  /** An additional gateway event, sent before the terminator. */
  writeExtra(extra: JsonObject): Buffer
}
