/**
 * The exchange that flows through the pipeline: one per request, and a fork for every attempted target. All fields
 * exist from construction, so that all exchanges have one shape; `phases.ts` says from when on which field has a value,
 * and describes each. Stages never see this type, only a phase. Bodies and answers are replaced, never mutated, so that
 * a retry or a fallback starts clean.
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
import { type KeyTerms, timeOrderedId } from '@gateway/domain'
import type { Answer } from './answer.ts'
import type { Cancellation } from './cancellation.ts'
import type { SentMark } from './capacity.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import { collectOwnHeaders, type GatewayOptions, type OwnHeaders } from './headers/request-headers.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import { type Attempt, createLedger, createRequestRecord, type Ledger, type RequestRecord } from './ledger.ts'
import type { Workspace } from './settings.ts'
import type { Stores } from './stores.ts'
import type { RawBody, SourceText, Transport } from './transport.ts'

const noHooks: readonly CompiledHook[] = []
const noServiceCalls: readonly ServiceCallRecord[] = []
const noFiles: readonly UploadedFile[] = []
const noResults: readonly HookResult[] = []
const noHeaders: Readonly<Record<string, string>> = {}

/** The data that is known when a request arrives. */
interface Birth {
  /** The workspace settings of the process, until the caller's workspace is known. */
  workspace: Workspace
  stores: Stores
  transport: Transport
  leaving: Cancellation
  /** Null: the request's own id, which keeps the log's index of trace ids ordered by time. */
  traceId: string | null
}

export class Exchange {
  stores: Stores
  workspace: Workspace
  transport: Transport
  readonly requestedPath: string
  leaving: Cancellation
  readonly arrivedAt: number
  readonly startedAt: number
  traceId: string
  readonly requestId: string
  readonly record: RequestRecord
  ledger: Ledger
  /** Code that sees every phase reads only its path. */
  route: { readonly target: { readonly path: string | null } } | null
  identity: Identity | null
  keyDocument: StoredDocument<KeyTerms> | null
  headers: Readonly<Record<string, string>>
  own: OwnHeaders
  options: GatewayOptions | null
  endpoint: Endpoint | null
  serviceCalls: readonly ServiceCallRecord[]
  body: JsonObject
  overridden: JsonObject | null
  files: readonly UploadedFile[]
  form: FormParts | null
  source: SourceText | null
  raw: RawBody | null
  continued: string | null
  bodyFault: GatewayError | null
  prompt: InferencePrompt | null
  savedConfig: SavedConfig | null
  streamTotalMs: number | null
  node: ConfigNode | null
  sessionHooks: readonly CompiledHook[]
  isHedge: boolean
  target: ResolvedTarget | null
  sent: SentMark | null
  attempt: Attempt | null
  beforeResults: readonly HookResult[]
  answer: Answer | null

  /** @param of the exchange to fork, copied field by field, which gives all forks one hidden class */
  constructor(birth: Birth, of: Exchange | null = null) {
    const { transport } = birth
    this.workspace = birth.workspace
    this.stores = birth.stores
    this.transport = transport
    this.requestedPath = of?.requestedPath ?? transport.path
    this.leaving = birth.leaving
    this.arrivedAt = of?.arrivedAt ?? Date.now()
    this.startedAt = of?.startedAt ?? performance.now()
    this.requestId = of?.requestId ?? timeOrderedId(this.arrivedAt)
    this.traceId = birth.traceId ?? this.requestId
    this.record = of?.record ?? createRequestRecord()
    this.ledger = of?.ledger ?? createLedger()
    this.route = of?.route ?? null
    this.identity = of?.identity ?? null
    this.keyDocument = of?.keyDocument ?? null
    this.headers = of?.headers ?? noHeaders
    this.own = of?.own ?? collectOwnHeaders(transport.headers, birth.workspace.headerPrefixes)
    this.options = of?.options ?? null
    this.endpoint = of?.endpoint ?? null
    this.serviceCalls = of?.serviceCalls ?? noServiceCalls
    this.body = of?.body ?? {}
    this.overridden = of?.overridden ?? null
    this.files = of?.files ?? noFiles
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
    this.beforeResults = of?.beforeResults ?? noResults
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

/** Returns an optional value that must be present here. Throws if it is absent, which is a bug. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`There is no ${what} here.`)
  return value
}
