/** What the HTTP server needs in addition to the requests' runtime. */
import type { Runtime } from '../flow/runtime.ts'
import type { MetricsText } from '../observability/metrics.ts'
import type { Routes } from './routes.ts'
import type { Services } from './services.ts'

export interface ServerRuntime extends Runtime {
  readonly services: Services
  /** Of endpoints and services. */
  readonly routes: Routes
  readonly store: Runtime['store'] & {
    /** Rejects when one of the stores does not answer. */
    ping(): Promise<void>
  }
  /** Of every worker, where there are several. */
  collectMetrics(): Promise<MetricsText>
  /** Whether it is known which circuits are open in other processes. */
  hasLearnedCircuits(): boolean
  /** Whether metrics are served on a separate port. */
  readonly hasMetricsPort: boolean
}
