/**
 * The exchange that flows through the pipeline: one per request, and a fork for every attempted target. Its members are
 * groups, each about one subject; `phases.ts` says from when on which of them is known. All members exist from
 * construction, so that all exchanges have one shape. Stages never see this type, only a phase.
 *
 * A fork has the groups of its exchange by reference. Only `request` is written in place, because all forks share it.
 * The members of the other groups are readonly: such a group is replaced as a whole, so that a retry or a fallback
 * starts clean.
 */

import type { FormParts, GatewayError, InferencePrompt, JsonObject, UploadedFile } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import type { Answer } from './answer.ts'
import type { KnownCaller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { SentMark } from './capacity.ts'
import type { ConfigNode, ResolvedTarget } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import { collectOwnHeaders, type GatewayOptions, type OwnHeaders } from './headers/request-headers.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import {
  type Attempt,
  createLedger,
  createRequestRecord,
  type Ledger,
  lastAttempt,
  type RequestRecord,
} from './ledger.ts'
import type { Workspace } from './settings.ts'
import type { Stores } from './stores.ts'
import type { RawBody, SourceText, Transport } from './transport.ts'

/** What all forks of a request share: its ids and times, its stores, and what is recorded about it. */
export interface RequestContext {
  /** The path in the request line, even if the request is rewritten. */
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number
  /** `performance.now()` at arrival. */
  readonly startedAt: number
  /** Unique per call, unlike the trace id: the id of its log entry and `x-request-id` of its answer. */
  readonly id: string
  /** The trace id: the request's own id, unless the caller sends a trace id. Written by `telemetry` and `parse`. */
  traceId: string
  /** The gateway's headers as received, including those from a body's `gateway_options`. */
  ownHeaders: OwnHeaders
  /** The stores for its usage, its log entry and its responses. Replaced when a service reserves its usage. */
  stores: Stores
  /** Notes for its entry in the log. */
  readonly record: RequestRecord
  /** Usage of its attempts, and limits. */
  readonly ledger: Ledger
}

/** The body of a call, what it was made from, and what input checks said about it. Replaced by {@link changeInput}. */
export interface Input {
  /** The members of the request's body or of its path; empty for a request with neither. */
  readonly body: JsonObject
  /** The body as the client wrote it; null once it was changed or checked. Written by `parse`. */
  readonly source: SourceText | null
  /** Uploaded files of a form; written by `parse`. */
  readonly files: readonly UploadedFile[]
  /** A form streamed to the provider; null without one. Written by the service that answers the endpoint. */
  readonly form: FormParts | null
  /** The raw body when bytes are forwarded; otherwise null. Written by `parse`. */
  readonly raw: RawBody | null
  /** Missing members that a target's prompt must supply; null for none. Written by `parse`. */
  readonly bodyFault: GatewayError | null
  /** The response whose conversation was prepended to the input; null for none. Written by `response-state`. */
  readonly continued: string | null
  /** The prompt that the body was rendered from, or null. Known from the transport, or written by `prompt`. */
  readonly prompt: InferencePrompt | null
  /**
   * The values that `override_params` has set so far, the nearest value of each; null removes the name, also from a
   * translated body. Written by `override-params`.
   */
  readonly overridden: JsonObject | null
  /** Results of input checks so far; written by `guardrails-in`. */
  readonly beforeResults: readonly HookResult[]
  /** The input hooks of a session, which check its messages. Written by `session-hooks`. */
  readonly sessionHooks: readonly CompiledHook[]
}

/** The calls of targets that an exchange made. */
export interface AttemptState {
  /** The last attempt; null when no target was called. Written by `call`. */
  readonly last: Attempt | null
  /**
   * The usage that its target had been sent, including this request; null if its limits are not known. Written by
   * `capacity`.
   */
  readonly sent: SentMark | null
  /** Whether it is the extra call of a hedge. Written by `hedge` and by strategies that hedge. */
  readonly isHedge: boolean
}

/** The data that is known when a request arrives. */
interface Birth {
  /** The workspace settings of the process, until the caller's workspace is known. */
  workspace: Workspace
  stores: Stores
  transport: Transport
  leaving: Cancellation
  /** Null: the request's own id, which keeps the log's index of trace ids ordered by time. */
  traceId: string | null
  /** Absent: a new one. */
  ledger?: Ledger
}

export class Exchange {
  request: RequestContext
  transport: Transport
  leaving: Cancellation
  /** Code that sees every phase reads only its path. */
  route: { readonly target: { readonly path: string | null } } | null
  caller: KnownCaller | null
  workspace: Workspace
  headers: Readonly<Record<string, string>>
  options: GatewayOptions | null
  endpoint: Endpoint | null
  input: Input
  config: ConfigNode | null
  node: ConfigNode | null
  attempt: AttemptState
  target: ResolvedTarget | null
  answer: Answer | null

  /** @param of the exchange to copy, group by group, which gives all forks one hidden class */
  constructor(
    request: RequestContext,
    { transport, leaving, workspace }: Pick<Exchange, 'transport' | 'leaving' | 'workspace'>,
    of: Exchange | null,
  ) {
    this.request = request
    this.transport = transport
    this.leaving = leaving
    this.route = of?.route ?? null
    this.caller = of?.caller ?? null
    this.workspace = workspace
    this.headers = of?.headers ?? noHeaders
    this.options = of?.options ?? null
    this.endpoint = of?.endpoint ?? null
    this.input = of?.input ?? noInput
    this.config = of?.config ?? null
    this.node = of?.node ?? null
    this.attempt = of?.attempt ?? noAttempt
    this.target = null
    this.answer = null
  }

  /** A fork of the request for one target: without a target or answer yet. */
  fork(node: ConfigNode): Exchange {
    const child = new Exchange(this.request, this, this)
    child.node = node
    return child
  }
}

const noHeaders: Readonly<Record<string, string>> = {}

export const noInput: Input = {
  body: {},
  source: null,
  files: [],
  form: null,
  raw: null,
  bodyFault: null,
  continued: null,
  prompt: null,
  overridden: null,
  beforeResults: [],
  sessionHooks: [],
}

export const noAttempt: AttemptState = { last: null, sent: null, isHedge: false }

export const createExchange = (birth: Birth): Exchange => new Exchange(contextOf(birth), birth, null)

function contextOf({ transport, workspace, stores, traceId, ledger }: Birth): RequestContext {
  const arrivedAt = Date.now()
  const id = timeOrderedId(arrivedAt)
  return {
    path: transport.path,
    arrivedAt,
    startedAt: performance.now(),
    id,
    traceId: traceId ?? id,
    ownHeaders: collectOwnHeaders(transport.headers, workspace.file.server.header_prefixes),
    stores,
    record: createRequestRecord(),
    ledger: ledger ?? createLedger(),
  }
}

/** Replaces the input of an exchange by one with other members. Other forks keep theirs. */
export function changeInput(exchange: { input: Input }, changes: Partial<Input>): void {
  const { input } = exchange
  // Member by member: the copies of each spread would have a hidden class of their own.
  exchange.input = {
    body: changes.body ?? input.body,
    source: changes.source === undefined ? input.source : changes.source,
    files: changes.files ?? input.files,
    form: changes.form === undefined ? input.form : changes.form,
    raw: changes.raw === undefined ? input.raw : changes.raw,
    bodyFault: changes.bodyFault === undefined ? input.bodyFault : changes.bodyFault,
    continued: changes.continued === undefined ? input.continued : changes.continued,
    prompt: changes.prompt === undefined ? input.prompt : changes.prompt,
    overridden: changes.overridden === undefined ? input.overridden : changes.overridden,
    beforeResults: changes.beforeResults ?? input.beforeResults,
    sessionHooks: changes.sessionHooks ?? input.sessionHooks,
  }
}

/** The text of a body of the request, if it was received or sent; null if it would have to be written. */
export function knownText(
  { input: { source }, request: { ledger } }: Pick<Exchange, 'input' | 'request'>,
  body: unknown,
): string | null {
  if (source !== null && source.body === body) return source.text
  const attempt = lastAttempt(ledger)
  return attempt !== undefined && attempt.body === body ? attempt.text : null
}

/** Returns an optional value that must be present here. Throws if it is absent, which is a bug. */
export function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`There is no ${what} here.`)
  return value
}
