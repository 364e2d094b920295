/** What one gateway process holds for as long as it lives; the running configuration is one of its members. */
import type { KeySets } from '@gateway/contract'
import type Keyv from 'keyv'
import type { Logger } from 'pino'
import type { Settings } from '../boot/load-settings.ts'
import type { OpenPorts } from '../boot/open-ports.ts'
import type { ResponseStore } from '../endpoints/responses/response-store.ts'
import type { LogQueue } from '../observability/log-queue.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Breakers } from '../routing/breaker/breaker-registry.ts'
import type { Flights } from '../routing/single-flight.ts'
import type { Services } from '../server/services.ts'
import type { Identities } from '../tenancy/identity/identities.ts'
import type { KeyRing } from '../tenancy/identity/key-ring.ts'
import type { MasterSealer } from '../tenancy/secrets/sealer.ts'
import type { SecretValues } from '../tenancy/secrets/secret-values.ts'
import type { Workspaces } from '../tenancy/workspaces/workspaces.ts'
import type { Registry } from './registry.ts'

export interface Runtime {
  readonly registry: Registry
  /** Replaced whole by a reload; an exchange keeps the one that it began with. */
  settings: Settings
  /** Keys beside those of the config file. */
  readonly adminKeys: KeyRing
  readonly store: OpenPorts
  readonly sealer: MasterSealer
  /** What secret references stand for. */
  readonly secrets: SecretValues
  /** Who calls. */
  readonly identities: Identities
  /** Public keys of token issuers. */
  readonly keySets: KeySets
  /** What is stored for each workspace, beside the config file. */
  readonly workspaces: Workspaces
  /** Opened last of all, by `openRuntime`. */
  services: Services
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
  /** Takes what is kept of each request. */
  readonly logs: LogQueue
  /** The one line of a request. */
  logRequest(record: object): void
  /** True from the signal to stop. */
  isDraining: boolean
  /** What a gateway that stops waits for: requests, answers not sent to their last byte, async hooks behind them. */
  inFlight: number
}
