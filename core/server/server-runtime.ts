/** The HTTP server's dependencies in addition to the requests' runtime. */
import type { Runtime } from '@gateway/flow'
import type { MetricsText } from '../observability/index.ts'
import type { Routes } from './routes.ts'
import type { Services } from './services.ts'

export interface ServerRuntime extends Runtime {
  readonly services: Services
  /** The routes of endpoints and services. */
  readonly routes: Routes
  readonly store: {
    /** Rejects if one of the stores does not answer. */
    ping(): Promise<void>
  }
  /** The metrics of all workers. */
  collectMetrics(): Promise<MetricsText>
  /** Why the store's secrets cannot be decrypted; null if they can, or if the store has not answered yet. */
  readonly sealing: { readonly fault: string | null }
  /** Whether the open circuits of other processes are known. */
  hasLearnedCircuits(): boolean
  /** Whether metrics are served on a separate port. */
  readonly hasMetricsPort: boolean
}
