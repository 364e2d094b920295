/** What one gateway process holds for as long as it lives; the running configuration is one of its members. */
import type Keyv from 'keyv'
import type { Logger } from 'pino'
import type { Breakers } from './breaker/breakers.ts'
import type { Store } from './contract/index.ts'
import type { KeyRing } from './keys.ts'
import type { Metrics } from './metrics.ts'
import type { Registry } from './registry.ts'
import type { Flights } from './routing/flights.ts'
import type { Settings } from './settings.ts'
import type { ResponseStore } from './state/response-store.ts'

export interface Runtime {
  readonly registry: Registry
  /** Replaced whole by a reload; an exchange keeps the one that it began with. */
  settings: Settings
  /** Keys beside those of the config file. */
  readonly adminKeys: KeyRing
  readonly store: Store
  /** Stored answers. */
  readonly answers: Keyv<string>
  /** What is kept of `/v1/responses`. */
  readonly responses: ResponseStore
  /** Cache misses whose upstream call is under way. */
  readonly flights: Flights
  readonly breakers: Breakers
  readonly metrics: Metrics
  /**
   * Runs the node list of the pipeline for an `Exchange` of the gateway's own, such as a check that asks a model.
   * (Named here it would be a cycle: an exchange holds its runtime.)
   */
  runNode(exchange: object): Promise<void>
  /** Of every worker, where there are several. */
  collectMetrics(): Promise<{ text: string; contentType: string }>
  readonly log: Logger
  /** The one line of a request. */
  logRequest(record: object): void
  /** True from the signal to stop. */
  isDraining: boolean
  /** What a gateway that stops waits for: requests, answers not sent to their last byte, async hooks behind them. */
  inFlight: number
}
