/** The environment of an exchange's checks, and the receiver of their errors, durations and late results. */
import {
  type CheckFetch,
  isGatewayError,
  type JsonObject,
  type KeySets,
  type OutboundAnswer,
  type OutboundRequest,
  type Phase,
  type ProviderFetchAnswer,
} from '@gateway/contract'
import {
  type Admitted,
  type CheckPorts,
  type CheckResult,
  type Endpoint,
  gatewayKeyOf,
  type HeldBuffer,
  type HookResult,
  noteStep,
  RequestBuffers,
  type Routed,
} from '@gateway/flow'
import { resolves } from '@gateway/upstream'
import { checkBody } from '../endpoints/index.ts'
import { redactError } from '../observability/index.ts'
import { askModel } from './ask-model.ts'
import type { CheckEnvironment } from './check-io.ts'
import { throughCircuit } from './circuit.ts'

export function checkEnvironment(ports: CheckPorts, exchange: Routed): CheckEnvironment {
  return new ExchangeEnvironment(ports, exchange, exchange.endpoint)
}

/** The endpoint of a body other than the exchange's. */
export function guestEnvironment(
  ports: CheckPorts,
  exchange: Admitted,
  endpoint: Endpoint,
): CheckEnvironment {
  return new ExchangeEnvironment(ports, exchange, endpoint)
}

/** A class, because one is created for each phase of a request and most checks use none of its members. */
class ExchangeEnvironment implements CheckEnvironment {
  protected readonly ports: CheckPorts
  private readonly exchange: Admitted
  private readonly endpoint: Endpoint

  constructor(ports: CheckPorts, exchange: Admitted, endpoint: Endpoint) {
    this.ports = ports
    this.exchange = exchange
    this.endpoint = endpoint
  }

  /** Created on first use; synchronous checks never need it. */
  get signal(): AbortSignal {
    return this.exchange.leaving.signal
  }

  fetchJson(request: OutboundRequest, limit: AbortSignal, held: HeldBuffer): Promise<OutboundAnswer> {
    const { outbound } = this.exchange.workspace
    return throughCircuit(this.ports, this.exchange, {
      url: request.url,
      limit,
      call: () => outbound.fetchJson(request, limit, held),
    })
  }

  openBuffer(): HeldBuffer {
    return this.exchange.transport.buffers.open()
  }

  fetch(request: CheckFetch, limit: AbortSignal, held: HeldBuffer): Promise<ProviderFetchAnswer> {
    const call = () => this.exchange.workspace.outbound.fetch(request, limit, held)
    return request.isForeign === true
      ? call()
      : throughCircuit(this.ports, this.exchange, { url: request.url, limit, call })
  }

  resolves(hostname: string): Promise<boolean> {
    return resolves(this.exchange.workspace.guard, hostname)
  }

  readHeader(name: string): string | null {
    return readHeader(this.exchange, name)
  }

  chatComplete(provider: string, body: JsonObject, limit: AbortSignal): Promise<JsonObject> {
    return askModel(this.ports, this.exchange, { provider, body, signal: limit })
  }

  get keySets(): KeySets {
    return this.ports.keySets
  }

  sharedOf(plugin: string): Map<string, unknown> {
    const { record } = this.exchange.request
    record.checkState ??= new Map()
    const shared = record.checkState.get(plugin) ?? new Map<string, unknown>()
    record.checkState.set(plugin, shared)
    return shared
  }

  checkRequest(body: JsonObject): void {
    checkBody(this.endpoint, body, 0)
  }

  reportError(id: string, error: unknown): void {
    const { traceId } = this.exchange.request
    this.ports.metrics.checkErrors.inc({ check: id })
    const reason = isGatewayError(error) ? error.code : error instanceof Error ? error.name : 'error'
    this.ports.log.warn({ trace_id: traceId, check: id, reason }, 'guardrail check failed without a verdict')
  }

  reportRun({ id, verdict, error }: CheckResult, durationMs: number): void {
    const { ledger, startedAt } = this.exchange.request
    this.ports.metrics.checkSeconds.observe({ check: id }, durationMs / 1000)
    if (ledger.trace === null) return
    const endedMs = performance.now() - startedAt
    noteStep(ledger.trace, {
      kind: 'check',
      id,
      startedMs: endedMs - durationMs,
      endedMs,
      verdict: error === null ? verdict : null,
      error: error?.name ?? null,
    })
  }
}

/** Async hooks continue after the request, when its buffers have been released and its caller may have left. */
class LaterEnvironment extends ExchangeEnvironment {
  private readonly ownSignal = new AbortController().signal

  override get signal(): AbortSignal {
    return this.ownSignal
  }

  override openBuffer(): HeldBuffer {
    return new RequestBuffers(this.ports.buffers).open()
  }
}

/**
 * The inbound headers available to a check: never the gateway's own, cookies, or headers containing the gateway key.
 */
function readHeader(exchange: Admitted, name: string): string | null {
  const { workspace, transport } = exchange
  if (name === 'cookie' || workspace.file.server.header_prefixes.some((prefix) => name.startsWith(prefix)))
    return null
  const value = Object.hasOwn(transport.headers, name) ? transport.headers[name] : undefined
  const key = gatewayKeyOf(transport.headers, exchange.request.ownHeaders)
  return typeof value !== 'string' || (key !== null && value.includes(key)) ? null : value
}

interface RunLaterOptions {
  phase: Phase
  run: (environment: CheckEnvironment) => Promise<HookResult>
}

/**
 * Async hooks run after the answer, also when the client has disconnected; their results are in the log, not in
 * `hook_results`. A stopping gateway waits for them.
 */
export function runLater(ports: CheckPorts, exchange: Routed, { phase, run }: RunLaterOptions): void {
  runGuestLater(ports, exchange, { endpoint: exchange.endpoint, phase, run })
}

interface RunGuestLaterOptions {
  endpoint: Endpoint
  phase: Phase
  run: (environment: CheckEnvironment) => Promise<HookResult>
}

/** The same as {@link runLater}, for a body other than the exchange's. */
export function runGuestLater(
  ports: CheckPorts,
  exchange: Admitted,
  { endpoint, phase, run }: RunGuestLaterOptions,
): void {
  const { traceId } = exchange.request
  exchange.request.ledger.deferred.add(async () => {
    ports.inFlight.begin()
    try {
      const result = await run(new LaterEnvironment(ports, exchange, endpoint))
      ports.log.info({ trace_id: traceId, hook: result }, 'async hook')
      return { phase, result }
    } catch (error) {
      ports.log.error({ trace_id: traceId, err: redactError(ports, exchange, error) }, 'async hook failed')
      return null
    } finally {
      ports.inFlight.end()
    }
  })
}
