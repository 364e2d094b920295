/** The runtime of a gateway process, opened by `open-runtime.ts`. */
import type { RequestObserver } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import type { BreakerRegistry, LimitRegistry } from '@gateway/routing'
import type { Logger } from 'pino'
import type { DeclaredEndpoint } from '../endpoints/index.ts'
import type { LogQueue, Metrics } from '../observability/index.ts'
import type { Routes, ServerRuntime, Services } from '../server/index.ts'
import type { Identities, KeyRing, MasterSealer, SecretValues, Workspaces } from '../tenancy/index.ts'
import type { CreatedAdminKey } from './admin-key.ts'
import type { LoadedSettings } from './load-settings.ts'
import type { OpenPorts } from './open-ports.ts'
import type { Sealing } from './seal-old-secrets.ts'

/** Runtime objects of one gateway process. */
export interface GatewayRuntime extends ServerRuntime {
  readonly registry: Registry
  readonly endpoints: readonly DeclaredEndpoint[]
  readonly current: { settings: LoadedSettings }
  /** API keys in addition to those of the config file. */
  readonly adminKeys: KeyRing
  /** The admin key, if it was created at this start. */
  readonly createdAdminKey: CreatedAdminKey | null
  readonly store: OpenPorts
  readonly sealer: MasterSealer
  /** Secrets stored by an earlier version. */
  readonly sealing: Sealing
  readonly secrets: SecretValues
  readonly identities: Identities
  readonly workspaces: Workspaces
  /** Opened last, with their routes. */
  services: Services
  observer: RequestObserver | null
  routes: Routes
  runRequest: ServerRuntime['runRequest']
  readonly breakers: BreakerRegistry
  readonly capacity: LimitRegistry
  readonly metrics: Metrics
  readonly log: Logger
  readonly logs: LogQueue
  isDraining: boolean
  isStopping: boolean
}
