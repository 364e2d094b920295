/** The type of what a gateway process runs on; `open-runtime.ts` opens it. */
import type { RequestObserver } from '@gateway/contract'
import type { Logger } from 'pino'
import type { Registry } from '../flow/registry.ts'
import type { LogQueue } from '../observability/log-queue.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { BreakerRegistry } from '../routing/breaker/breaker-registry.ts'
import type { LimitRegistry } from '../routing/capacity/limit-registry.ts'
import type { Routes } from '../server/routes.ts'
import type { ServerRuntime } from '../server/server-runtime.ts'
import type { Services } from '../server/services.ts'
import type { Identities } from '../tenancy/identity/identities.ts'
import type { KeyRing } from '../tenancy/identity/key-ring.ts'
import type { MasterSealer } from '../tenancy/secrets/sealer.ts'
import type { SecretValues } from '../tenancy/secrets/secret-values.ts'
import type { Workspaces } from '../tenancy/workspaces/workspaces.ts'
import type { CreatedAdminKey } from './admin-key.ts'
import type { LoadedSettings } from './load-settings.ts'
import type { OpenPorts } from './open-ports.ts'
import type { Sealing } from './seal-old-secrets.ts'

/** Runtime objects of one gateway process. */
export interface GatewayRuntime extends ServerRuntime {
  readonly registry: Registry
  readonly current: { settings: LoadedSettings }
  /** Keys beside those of the config file. */
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
