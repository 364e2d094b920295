/** What a gateway is opened with. */

import type { SharedState } from '@gateway/contract'
import type { Logger } from 'pino'
import type { Environment } from '../config/file/environment.ts'
import type { DeclaredEndpoint } from '../endpoints/declare-endpoint.ts'
import type { Metrics, MetricsText } from '../observability/metrics.ts'
import type { ProgressOutput } from '../shared/progress.ts'
import type { SettingsOptions } from './load-settings.ts'
import type { Flags } from './options.ts'

export interface GatewayOptions {
  configPath: string
  flags: Flags
  environment: Environment
  log: Logger
  /** Instead of the gateway's own table of endpoints. */
  endpoints?: readonly DeclaredEndpoint[]
  /** Takes the lines of requests; the log itself when absent. */
  logRequest?: (record: object) => void
  /** Shows a new admin key, once. */
  printKey(key: string): void
  /** Where the progress of a migration is shown; the log when absent. */
  progressOutput?: ProgressOutput
  /** Instead of the system's resolver. */
  resolve?: SettingsOptions['resolve']
  /** Whether to keep other gateways off the store. Workers leave that to their primary. */
  lockStore?: boolean
  /** Of the workers of one machine; absent in a process of its own. */
  shared?: SharedState
  /** Makes `/metrics` speak for all of them. */
  joinMetrics?: (registry: Metrics['registry']) => () => Promise<MetricsText>
}
