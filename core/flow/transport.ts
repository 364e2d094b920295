/** The connection to the client, as stages see it, and the data that is read from it. */
import type { BatchProvider, InferenceOrigin, InferencePrompt, JsonObject } from '@gateway/contract'
import type { AnswerStream } from './answer.ts'
import type { RequestBuffers } from './buffer-budget.ts'
import type { Caller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { ConfigNode } from './config-node.ts'
import type { CompiledLimit } from './limits.ts'
import type { MaybePromise } from './waiting.ts'

export interface AnswerHead {
  status: number
  headers: Record<string, string>
}

export interface StreamEnding {
  /** Called for all data sent. */
  sent(bytes: Buffer): void
  /** Sent after a complete stream; null for nothing. */
  trailer: Buffer | null
  /** The last event of a failed stream; null when only closing the connection can signal it. */
  failed(error: unknown): Buffer | null
}

/** The origin of an in-process request. */
export interface RequestOrigin extends InferenceOrigin {
  /** Answers instead of the provider; absent: the provider does. */
  provider?: BatchProvider | undefined
  /** Whether limits ignore it, because its usage was reserved before. */
  isExempt?: boolean | undefined
  /** The config that routes it, instead of the one that its caller's request would have. */
  config?: ConfigNode | undefined
  /** Limits that apply in addition to those of its caller. */
  budget?: CompiledLimit | undefined
}

/** The messages of a WebSocket client; available once it is open. */
export interface ClientSession {
  /** The next one; null when the client has disconnected. */
  next(): Promise<string | null>
  send(text: string): Promise<void>
  /** The code with which the client closed; null while it is connected. */
  closeCode(): number | null
  /** Fires when the gateway stops: the session ends after the response in progress. */
  readonly stopping: Cancellation
}

/** The connection to the client, as stages see it. */
export interface Transport {
  method: string
  path: string
  query: URLSearchParams
  /** The raw query with its question mark. */
  search: string
  /** The peer's address. */
  clientIp: string
  /** As received. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The caller of an in-process request. Null: determined by its credential. */
  readonly caller: (() => MaybePromise<Caller>) | null
  /** The origin of an in-process request; null for a client's request. */
  readonly origin: RequestOrigin | null
  /** The prompt that the body was rendered from, or null. */
  readonly prompt: InferencePrompt | null
  /** Null for an ordinary request. The WebSocket opens when the answer's stream is sent; its chunks are messages. */
  readonly session: ClientSession | null
  /** Reads the JSON body, once. */
  readJson(limits: { maxBytes: number }): Promise<{ body: unknown; text: string | null; sizeBytes: number }>
  /** Reads the raw body, once; empty for a request without a body. */
  readBytes(limits: { maxBytes: number }): Promise<Buffer>
  /** The body as a stream. Stopping early leaves the connection usable for the next request. */
  readChunks(limits: { maxBytes: number }): AsyncIterable<Buffer>
  /** The body as a stream without a size limit. It is not counted as memory, because the reader must not buffer it. */
  streamBody(): AsyncIterable<Buffer>
  /** Memory reserved for this request; released when the request ends. */
  readonly buffers: RequestBuffers
  /** Whether the client disconnected before the last byte. */
  isClosed(): boolean
  /** Sends an answer to its last byte. */
  write(head: AnswerHead, body: string): void
  /**
   * Sends a stream to its last byte with backpressure; the listener sees what is sent and supplies the last event on
   * failure.
   */
  writeStream(head: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void>
}

/** A body and its text, which is forwarded when nothing changed the body. */
export interface SourceText {
  body: JsonObject
  text: string
}

/** A raw body in the provider's format. */
export interface RawBody {
  bytes: Buffer
  /** Whether the body was parsed to the JSON object in the exchange's `body`. */
  isRead: boolean
}
