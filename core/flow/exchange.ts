/**
 * What flows through the pipeline: one exchange per request, and a fork for every attempted target. All fields exist
 * from construction, so that all exchanges have one shape; `phases.ts` says from when on which field has a value, and
 * describes each. Stages never see this type, only a phase. Bodies and answers are replaced, never mutated, so that a
 * retry or a fallback starts clean.
 */

import type {
  FormParts,
  GatewayError,
  Identity,
  InferencePrompt,
  JsonObject,
  ServiceCallRecord,
  StoredDocument,
  UploadedFile,
} from '@gateway/contract'
import type { KeyTerms } from '../domain/index.ts'
import { timeOrderedId } from '../domain/logs/time-ordered-id.ts'
import { collectOwnHeaders, type GatewayOptions, type OwnHeaders } from '../headers/index.ts'
import type { Answer } from './answer.ts'
import type { Cancellation } from './cancellation.ts'
import type { SentMark } from './capacity.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import { type Attempt, createLedger, createRequestRecord, type Ledger, type RequestRecord } from './ledger.ts'
import type { Settings } from './settings.ts'
import type { Stores } from './stores.ts'
import type { RawBody, SourceText, Transport } from './transport.ts'

const noHooks: readonly CompiledHook[] = []
const noServiceCalls: readonly ServiceCallRecord[] = []

/** What is known at arrival. */
interface Birth {
  /** Those of the process, until the workspace of its caller is known. */
  settings: Settings
  stores: Stores
  transport: Transport
  leaving: Cancellation
  /** Null: the request's own id, which keeps the log's index of trace ids ordered by time. */
  traceId: string | null
}

export class Exchange {
  stores: Stores
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
  /** Null until the router has found it. */
  route: { readonly target: { readonly path: string | null } } | null
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

  /** @param of the exchange to fork, copied field by field so that all have one shape */
  constructor(birth: Birth, of: Exchange | null = null) {
    const { transport } = birth
    this.settings = birth.settings
    this.stores = birth.stores
    this.transport = transport
    this.requestedPath = of?.requestedPath ?? transport.path
    this.leaving = birth.leaving
    this.startedAt = of?.startedAt ?? performance.now()
    this.requestId = of?.requestId ?? timeOrderedId(Date.now())
    this.traceId = birth.traceId ?? this.requestId
    this.record = of?.record ?? createRequestRecord()
    this.ledger = of?.ledger ?? createLedger()
    this.route = of?.route ?? null
    this.identity = of?.identity ?? null
    this.keyDocument = of?.keyDocument ?? null
    this.headers = of?.headers ?? {}
    this.own = of?.own ?? collectOwnHeaders(transport.headers, birth.settings.headerPrefixes)
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
  }

  /** {@link leaving} as an AbortSignal. */
  get signal(): AbortSignal {
    return this.leaving.signal
  }

  /** A fork of the request for one target: without a target or answer yet. */
  fork(node: ConfigNode): Exchange {
    const child = new Exchange(this, this)
    child.node = node
    return child
  }
}

/** A value that is truly optional, where the code around it knows that it is there; that it is not is a bug. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`There is no ${what} here.`)
  return value
}
