/**
 * What flows through the pipeline: one exchange per request, and a fork for every attempted target. All fields exist
 * from construction, so that all exchanges have one shape; each documents its writer. Bodies and answers are replaced,
 * never mutated, so that a retry or a fallback starts clean.
 */

import type {
  BatchProvider,
  FormParts,
  GatewayError,
  Identity,
  InferenceOrigin,
  InferencePrompt,
  JsonObject,
  ServiceCallRecord,
  StoredDocument,
  UploadedFile,
} from '@gateway/contract'
import type { KeyTerms } from '../domain/index.ts'
import { timeOrderedId } from '../domain/logs/time-ordered-id.ts'
import { collectOwnHeaders, type GatewayOptions, type OwnHeaders } from '../headers/index.ts'
import type { RequestBuffers } from '../shared/index.ts'
import type { Answer, AnswerStream } from './answer.ts'
import type { Caller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { SentMark } from './capacity.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import { type Attempt, createLedger, createRequestRecord, type Ledger, type RequestRecord } from './ledger.ts'
import type { CompiledLimit } from './limits.ts'
import type { Runtime } from './runtime.ts'
import type { Settings } from './settings.ts'
import type { Ending, MaybePromise } from './waiting.ts'

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
  /** Routes it, instead of the config that its caller's request would have. */
  config?: ConfigNode | undefined
  /** Limits it in addition to the limits of its caller. */
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
  /** Null for an ordinary request. The WebSocket opens when the answer's stream is sent; its chunks are messages. */
  readonly session: ClientSession | null
  /** Reads the JSON body, once. */
  readJson(limits: { maxBytes: number }): Promise<{ body: unknown; text: string | null; sizeBytes: number }>
  /** Reads the raw body, once; empty for a request without a body. */
  readBytes(limits: { maxBytes: number }): Promise<Buffer>
  /** The body as a stream. Stopping early leaves the connection usable for the next request. */
  readChunks(limits: { maxBytes: number }): AsyncIterable<Buffer>
  /** As above without a limit: it is not counted, because the reader must not buffer it. */
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

/** The route of a request. */
export interface FoundRoute {
  target: {
    /** Whether authentication is skipped: it needs no credential, or authenticates by itself. */
    isPublic: boolean
    /** The declared path with its parameter names; null for an unknown route. */
    path: string | null
    serve(exchange: Exchange, params: FoundRoute['params']): Ending
  }
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>
}

/** A body and its original text, which is forwarded when nothing changed it. */
export interface SourceText {
  body: JsonObject
  text: string
}

/** A raw body in the provider's format. */
export interface RawBody {
  bytes: Buffer
  /** Whether it is the JSON object in the exchange's `body`. */
  isRead: boolean
}

const noHooks: readonly CompiledHook[] = []
const noServiceCalls: readonly ServiceCallRecord[] = []

export class Exchange {
  runtime: Runtime
  /**
   * The configuration at the request's arrival, kept to its end. Written by `auth`, which applies the stored documents
   * to it.
   */
  settings: Settings
  /** Replaced by the router for a request that a service rewrites. */
  transport: Transport
  /** The path in the request line, whatever the request is rewritten to. */
  readonly requestedPath: string
  /** Fires when the client disconnects; in a fork of the cache stage, when all clients have. */
  leaving: Cancellation
  /** `performance.now()` at arrival. */
  readonly startedAt: number
  /** Written by `telemetry`, then by `scrub` when the caller sends one. */
  traceId: string
  /** Unique per call, unlike the trace id: the id of its log entry and `x-request-id` of its answer. */
  readonly requestId: string
  /** Notes for its entry in the log; one for all forks. */
  readonly record: RequestRecord
  /** Usage of its attempts, and limits; one for all forks. */
  ledger: Ledger
  /** Null for an unknown path, and for a path without this method. Written by the router. */
  route: FoundRoute | null
  /** Written by `auth`. */
  identity: Identity | null
  /** The stored key used; null for other credentials. Written by `auth`. */
  keyDocument: StoredDocument<KeyTerms> | null
  /** Lower-case names, scrubbed; written by `scrub`. */
  headers: Readonly<Record<string, string>>
  /** The gateway's headers as received, including those from a body's `gateway_options`. */
  own: OwnHeaders
  /** The same, parsed and validated; written by `scrub`. */
  options: GatewayOptions | null
  /** Written by the router; null for a route of a service. */
  endpoint: Endpoint | null
  /** Calls that a service made for the request, each logged; written by the service's route. */
  serviceCalls: readonly ServiceCallRecord[]
  /** Written by `parse`, then replaced by `override-params`, `guardrails-in` and `target`. */
  body: JsonObject
  /**
   * What `override_params` set so far, the nearest value of each; null removes the name, also from a translated body.
   * Written by `override-params`.
   */
  overridden: JsonObject | null
  /** Uploaded files of a form; written by `parse`. */
  files: readonly UploadedFile[]
  /** A form streamed to the provider; written by the service that answers the endpoint. */
  form: FormParts | null
  /** Written by `parse`; dropped by `guardrails-in`. */
  source: SourceText | null
  /** The raw body, when bytes are forwarded; written by `parse`. */
  raw: RawBody | null
  /** The response whose conversation was prepended to the input; written by `response-state`. */
  continued: string | null
  /** Missing members that a target's prompt must supply; written by `parse`. */
  bodyFault: GatewayError | null
  /** The prompt that the body was rendered from; null without one. Written by the route of the prompt and by `prompt`. */
  prompt: InferencePrompt | null
  /** The saved config that routes it; null for an inline one and for none. Written by `resolve`. */
  savedConfig: SavedConfig | null
  /**
   * The maximum duration of a stream from the request's arrival, in milliseconds; null: unlimited. Written by
   * `resolve`.
   */
  streamTotalMs: number | null
  /** Written by `resolve` and by `fork`. */
  node: ConfigNode | null
  /** For a session: its input hooks. Written by `session-hooks`. */
  sessionHooks: readonly CompiledHook[]
  /** Whether it is the extra call of a hedge. Written by `hedge` and by strategies that hedge. */
  isHedge: boolean
  /** Written by `target`, at a leaf. */
  target: ResolvedTarget | null
  /** What its target had been sent, this request included; null if its limits are not known. Written by `capacity`. */
  sent: SentMark | null
  /** The current attempt at the target; written by `call`. */
  attempt: Attempt | null
  /** State of checks between the phases, by plugin; one for all forks. */
  readonly checkState: Map<string, Map<string, unknown>>
  /** Results of the before phase so far; written by `guardrails-in`. */
  beforeResults: readonly HookResult[]
  /** Written by the answering stage; read by outer stages. */
  answer: Answer | null
  /** Milliseconds from arrival to the first byte sent; written by `respond`. */
  firstByteMs: number | null
  /** Written by `respond`. */
  sentStatus: number | null
  /** The code of the error event that ended the stream; written by `respond`. */
  streamError: string | null

  /**
   * @param traceId null: the request's own id, which keeps the log's index of trace ids ordered by time @param of the
   * exchange to fork, copied field by field so that all have one shape
   */
  constructor(
    runtime: Runtime,
    transport: Transport,
    leaving: Cancellation,
    traceId: string | null,
    of: Exchange | null = null,
  ) {
    this.runtime = runtime
    this.settings = of?.settings ?? runtime.current.settings
    this.transport = transport
    this.requestedPath = of?.requestedPath ?? transport.path
    this.leaving = leaving
    this.startedAt = of?.startedAt ?? performance.now()
    this.requestId = of?.requestId ?? timeOrderedId(Date.now())
    this.traceId = traceId ?? this.requestId
    this.record = of?.record ?? createRequestRecord()
    this.ledger = of?.ledger ?? createLedger()
    this.route = of?.route ?? null
    this.identity = of?.identity ?? null
    this.keyDocument = of?.keyDocument ?? null
    this.headers = of?.headers ?? {}
    this.own = of?.own ?? collectOwnHeaders(transport.headers, runtime.current.settings.headerPrefixes)
    this.options = of?.options ?? null
    this.endpoint = of?.endpoint ?? null
    this.serviceCalls = of?.serviceCalls ?? noServiceCalls
    this.body = of?.body ?? {}
    this.overridden = of?.overridden ?? null
    this.files = of?.files ?? []
    this.form = of?.form ?? null
    this.source = of?.source ?? null
    this.raw = of?.raw ?? null
    this.continued = of?.continued ?? null
    this.bodyFault = of?.bodyFault ?? null
    this.prompt = of === null ? (transport.origin?.prompt ?? null) : of.prompt
    this.savedConfig = of?.savedConfig ?? null
    this.streamTotalMs = of?.streamTotalMs ?? null
    this.node = of?.node ?? null
    this.sessionHooks = of?.sessionHooks ?? noHooks
    this.isHedge = of?.isHedge ?? false
    this.target = null
    this.sent = null
    this.attempt = of?.attempt ?? null
    this.checkState = of?.checkState ?? new Map()
    this.beforeResults = of?.beforeResults ?? []
    this.answer = null
    this.firstByteMs = of?.firstByteMs ?? null
    this.sentStatus = of?.sentStatus ?? null
    this.streamError = of?.streamError ?? null
  }

  /** {@link leaving} as an AbortSignal. */
  get signal(): AbortSignal {
    return this.leaving.signal
  }

  /** A fork of the request for one target: without a target or answer yet. */
  fork(node: ConfigNode): Exchange {
    const child = new Exchange(this.runtime, this.transport, this.leaving, this.traceId, this)
    child.node = node
    return child
  }
}

/** What stages may rely on after `auth`, `scrub` and `resolve`; a wrong stage order is a bug. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`The pipeline has no ${what} here.`)
  return value
}
