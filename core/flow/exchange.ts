/**
 * What flows through the pipeline: one exchange a request, and a fork of it for every target that is tried.
 * Every field exists from construction, so that all exchanges have one shape; each names who writes it.
 * Bodies and answers are replaced, never changed, so that a retry or a fallback starts clean.
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
import { collectOwnHeaders, type GatewayOptions, type OwnHeaders } from '../headers/request-headers.ts'
import type { RequestBuffers } from '../shared/buffer-budget.ts'
import type { Answer, AnswerStream } from './answer.ts'
import type { Caller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import { type Attempt, createLedger, createRequestRecord, type Ledger, type RequestRecord } from './ledger.ts'
import type { Runtime } from './runtime.ts'
import type { Settings } from './settings.ts'

export interface AnswerHead {
  status: number
  headers: Record<string, string>
}

export interface StreamEnding {
  /** Hears of all that goes out. */
  sent(bytes: Buffer): void
  /** What is sent behind a stream that is complete; null for nothing. */
  trailer: Buffer | null
  /** The last event of a stream that failed; null where only breaking off can say so. */
  failed(error: unknown): Buffer | null
}

/** What a request from inside the process belongs to. */
export interface RequestOrigin extends InferenceOrigin {
  /** The request of a client in whose place it runs; null for work behind requests. */
  instead: { requestId: string; path: string } | null
  /** Answers in the place of the provider; absent: the provider itself does. */
  provider?: BatchProvider | undefined
  /** Whether limits leave it alone, because what it is about was reserved before. */
  isExempt?: boolean | undefined
}

/** The messages of a caller who asks for a WebSocket; they begin once it is open. */
export interface ClientSession {
  /** The next one; null when the caller has left. */
  next(): Promise<string | null>
  send(text: string): Promise<void>
}

/** The connection to the caller, as far as stages may know it. */
export interface Transport {
  method: string
  path: string
  query: URLSearchParams
  /** The query as it came, with its question mark. */
  search: string
  /** The address of the connection's other end. */
  clientIp: string
  /** As they came in. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Who calls, where that is known already: a request from inside the process. Null: its credential says so. */
  readonly caller: (() => Promise<Caller>) | null
  /** Where a request from inside the process came from; null for one that a client sent. */
  readonly origin: RequestOrigin | null
  /** Null for an ordinary request. An answer to a caller who has one opens it by its stream, whose pieces are messages. */
  readonly session: ClientSession | null
  /** Reads the JSON body, once. */
  readJson(limits: { maxBytes: number }): Promise<{ body: unknown; text: string | null; sizeBytes: number }>
  /** Reads the body as it is, once; empty when there is none. */
  readBytes(limits: { maxBytes: number }): Promise<Buffer>
  /** The same while it arrives. Whoever stops reading leaves a connection that serves the next request. */
  readChunks(limits: { maxBytes: number }): AsyncIterable<Buffer>
  /** The same without a bound: it is counted nowhere, because whoever reads it keeps nothing of it in memory. */
  streamBody(): AsyncIterable<Buffer>
  /** What is held in memory for this request; all of it is given back when the request ends. */
  readonly buffers: RequestBuffers
  /** Whether the caller left before the last byte. */
  isClosed(): boolean
  /** Writes an answer, to its last byte. */
  write(head: AnswerHead, body: string): void
  /** Writes a stream, at the caller's pace, to its last byte; says what goes out and hears what to say when it fails. */
  writeStream(head: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void>
}

/** What serves a request. */
export interface FoundRoute {
  target: {
    /** Whether no credential is looked at before it: it needs none, or authenticates by itself. */
    isPublic: boolean
    /** As it is declared, with its parameters; null for what is not served. */
    path: string | null
    serve(exchange: Exchange, params: FoundRoute['params']): Promise<void>
  }
  /** Of the path, decoded. */
  params: Readonly<Record<string, string>>
}

/** A body and the text that it was parsed from: sent on as it came when nothing changed it. */
export interface SourceText {
  body: JsonObject
  text: string
}

/** The body of a request whose format is its provider's business. */
export interface RawBody {
  bytes: Buffer
  /** Whether it is the JSON object that the exchange has as its body. */
  isRead: boolean
}

const noHooks: readonly CompiledHook[] = []
const noServiceCalls: readonly ServiceCallRecord[] = []

export class Exchange {
  runtime: Runtime
  /**
   * The configuration that was running when the request came; it keeps it to its end. Written by `auth`, which
   * lays what is stored over it.
   */
  settings: Settings
  readonly transport: Transport
  /** Fires when the caller is gone; in a fork of the cache stage, when every caller is. */
  leaving: Cancellation
  /** `performance.now()` at arrival. */
  readonly startedAt: number
  /** Written by `telemetry`, then by `scrub` when the caller names one. */
  traceId: string
  /** Unique per call, unlike the trace id: the id of its log entry, and `x-request-id` of its answer. */
  readonly requestId: string
  /** Whether another exchange runs in its place, and is recorded as this request. Written by `runInference`. */
  isReplaced: boolean
  /** Notes for its entry in the log; one for all forks. */
  readonly record: RequestRecord
  /** What its attempts at targets used, and what limits say of it; one for all forks. */
  ledger: Ledger
  /** Null for an unknown path, and for a path without this method. Written by the router. */
  route: FoundRoute | null
  /** Written by `auth`. */
  identity: Identity | null
  /** The stored key that was used; null for every other credential. Written by `auth`. */
  keyDocument: StoredDocument<KeyTerms> | null
  /** Lower-case names, scrubbed; written by `scrub`. */
  headers: Readonly<Record<string, string>>
  /** The gateway's own headers as they came, and what a body says in their place (`gateway_options`). */
  own: OwnHeaders
  /** The same, read and checked; written by `scrub`. */
  options: GatewayOptions | null
  /** Written by the router; null for a route of a service. */
  endpoint: Endpoint | null
  /** Calls that a service made for the request, each of which is logged; written by the service's route. */
  serviceCalls: readonly ServiceCallRecord[]
  /** Written by `parse`, then replaced by `override-params`, `guardrails-in` and `target`. */
  body: JsonObject
  /** What was uploaded beside the body, as a form; written by `parse`. */
  files: readonly UploadedFile[]
  /** A form that goes on to the provider while it arrives; written by whoever answers an endpoint for a service. */
  form: FormParts | null
  /** Written by `parse`; dropped by `guardrails-in`. */
  source: SourceText | null
  /** The body as it came, where bytes are passed on; written by `parse`. */
  raw: RawBody | null
  /** The response whose conversation stands in front of the body's input; written by `response-state`. */
  continued: string | null
  /** What the body lacks unless a target's prompt brings it; written by `parse`. */
  bodyFault: GatewayError | null
  /** The prompt whose text the body holds; null for a body without one. Written by who runs it, and by `prompt`. */
  prompt: InferencePrompt | null
  /** The saved config that routes it; null for an inline one and for none. Written by `resolve`. */
  savedConfig: SavedConfig | null
  /** How long a stream may take from the arrival of the request, in milliseconds; null: any time. Written by `resolve`. */
  streamTotalMs: number | null
  /** Written by `resolve` and by `fork`. */
  node: ConfigNode | null
  /** Of a session: input hooks on the way to its target. Written by `session-hooks`. */
  sessionHooks: readonly CompiledHook[]
  /** Whether it runs the extra call of a hedge. Written by `hedge` and by strategies that hedge. */
  isHedge: boolean
  /** Written by `target`, at a leaf. */
  target: ResolvedTarget | null
  /** The attempt at the target that is under way; written by `call`. */
  attempt: Attempt | null
  /** What checks keep between the phases, by plugin; one for all forks. */
  readonly checkState: Map<string, Map<string, unknown>>
  /** Results of the before phase so far; written by `guardrails-in`. */
  beforeResults: readonly HookResult[]
  /** Written by whoever answers; read outwards. */
  answer: Answer | null
  /** Milliseconds from arrival to the first byte sent; written by `respond`. */
  firstByteMs: number | null
  /** Written by `respond`. */
  sentStatus: number | null
  /** The code of the error event that ended the stream; written by `respond`. */
  streamError: string | null

  /**
   * @param traceId null: the request's own id, which keeps the log's index of trace ids in the order of time
   * @param of the exchange that this one is a fork of: field by field, so that all have one shape
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
    this.leaving = leaving
    this.startedAt = of?.startedAt ?? performance.now()
    this.requestId = of?.requestId ?? transport.origin?.instead?.requestId ?? timeOrderedId(Date.now())
    this.traceId = traceId ?? this.requestId
    this.isReplaced = of?.isReplaced ?? false
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
    this.attempt = of?.attempt ?? null
    this.checkState = of?.checkState ?? new Map()
    this.beforeResults = of?.beforeResults ?? []
    this.answer = null
    this.firstByteMs = of?.firstByteMs ?? null
    this.sentStatus = of?.sentStatus ?? null
    this.streamError = of?.streamError ?? null
  }

  /** {@link leaving} for those who know AbortSignals only. */
  get signal(): AbortSignal {
    return this.leaving.signal
  }

  /** The same request on its way to one target: without a target and an answer of its own yet. */
  fork(node: ConfigNode): Exchange {
    const child = new Exchange(this.runtime, this.transport, this.leaving, this.traceId, this)
    child.node = node
    return child
  }
}

/** What a stage may count on after `auth`, `scrub` and `resolve`; a wrong order in the lists is a fault of ours. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`The pipeline has no ${what} here.`)
  return value
}
