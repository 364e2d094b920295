/**
 * What a running check is given, and its time limit. One is made for every run, and most checks answer at once and
 * ask for nothing: so each member is made when it is asked for. They are getters, so that a check may take them apart.
 */
import type {
  CheckFetch,
  CheckIo,
  JsonObject,
  KeySets,
  OutboundAnswer,
  OutboundRequest,
  ProviderFetchAnswer,
} from '@gateway/contract'
import type { CompiledCheck } from '../flow/hook-result.ts'
import type { HeldBuffer } from '../shared/buffer-budget.ts'

/** Where what checks do is carried out, and where their errors and durations go. */
export interface CheckEnvironment {
  readonly signal: AbortSignal
  fetchJson(request: OutboundRequest, signal: AbortSignal, held: HeldBuffer): Promise<OutboundAnswer>
  fetch(request: CheckFetch, signal: AbortSignal, held: HeldBuffer): Promise<ProviderFetchAnswer>
  /** For an answer that a check reads; it is given back when the check is over. */
  openBuffer(): HeldBuffer
  resolves(hostname: string): Promise<boolean>
  /** An inbound header as it came; null when it is absent or nothing that a check may have. */
  readHeader(name: string): string | null
  chatComplete(provider: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>
  readonly keySets: KeySets
  /** Of a plugin, for one request. */
  sharedOf(plugin: string): Map<string, unknown>
  /** Throws for a request that breaks the specification. */
  checkRequest(body: JsonObject): void
  /** Told of every check that gave no verdict. */
  reportError(id: string, error: unknown): void
  reportDuration(id: string, durationMs: number): void
}

/** A check that needs longer says so in its own parameters and keeps to it. */
const checkTimeoutMs = 5000
/** A parameter named `timeout` or `timeoutMs` may ask for more, up to this. */
const longestTimeoutMs = 60_000

export class LimitedIo implements CheckIo {
  private readonly compiled: CompiledCheck
  private readonly environment: CheckEnvironment
  private controller: AbortController | null = null
  private timer: NodeJS.Timeout | undefined
  private held: HeldBuffer[] | null = null

  constructor(compiled: CompiledCheck, environment: CheckEnvironment) {
    this.compiled = compiled
    this.environment = environment
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.environment.signal, this.start().signal])
  }

  get now(): () => number {
    return Date.now
  }

  get settings(): Readonly<JsonObject> {
    return this.compiled.settings
  }

  get fetchJson(): (request: OutboundRequest) => Promise<OutboundAnswer> {
    return (request) =>
      this.environment.fetchJson({ timeoutMs: this.timeoutMs(), ...request }, this.signal, this.open())
  }

  get fetch(): (request: CheckFetch) => Promise<ProviderFetchAnswer> {
    return (request) =>
      this.environment.fetch({ timeoutMs: this.timeoutMs(), ...request }, this.signal, this.open())
  }

  get resolves(): (hostname: string) => Promise<boolean> {
    return (hostname) => this.environment.resolves(hostname)
  }

  get header(): string | null {
    const { headerName } = this.compiled
    return headerName === null ? null : this.environment.readHeader(headerName)
  }

  get chatComplete(): (provider: string, body: JsonObject) => Promise<JsonObject> {
    return (provider, body) => this.environment.chatComplete(provider, body, this.signal)
  }

  get keySets(): KeySets {
    return this.environment.keySets
  }

  get shared(): Map<string, unknown> {
    const { id } = this.compiled
    return this.environment.sharedOf(id.slice(0, id.indexOf('.')))
  }

  /** What came of it, or a rejection when the time is over. */
  race<T>(running: Promise<T>): Promise<T> {
    const { signal } = this.start()
    return new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      running.then(resolve, reject)
    })
  }

  /** Lets the clock go, and what was answered. */
  clear(): void {
    clearTimeout(this.timer)
    if (this.held !== null) for (const buffer of this.held) buffer.resize(0)
  }

  private open(): HeldBuffer {
    const buffer = this.environment.openBuffer()
    this.held ??= []
    this.held.push(buffer)
    return buffer
  }

  private timeoutMs(): number {
    return this.compiled.timeoutMs ?? checkTimeoutMs
  }

  private start(): AbortController {
    if (this.controller !== null) return this.controller
    const made = new AbortController()
    const timeoutMs = this.timeoutMs()
    this.timer = setTimeout(
      () => made.abort(new Error(`The check took longer than ${timeoutMs} ms.`)),
      timeoutMs,
    )
    this.controller = made
    return made
  }
}

/** The limit that a check's own `timeout` (or `timeoutMs`) asks for; null when it asks for none. */
export function timeoutOfParameters(parameters: Readonly<Record<string, unknown>>): number | null {
  const { timeoutMs, timeout = timeoutMs } = parameters
  return typeof timeout === 'number'
    ? Math.min(Math.max(timeout + 100, checkTimeoutMs), longestTimeoutMs)
    : null
}
