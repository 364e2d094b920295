/** The options of `openGateway`. */

import type { Environment } from '@gateway/config-file'
import type { Counters, SharedState } from '@gateway/contract'
import type { RequestLine } from '@gateway/flow'
import type { Logger } from 'pino'
import type { DeclaredEndpoint } from '../endpoints/index.ts'
import type { Metrics, MetricsText } from '../observability/index.ts'
import type { SettingsOptions } from './load-settings.ts'
import type { Flags } from './options.ts'
import type { ProgressOutput } from './progress.ts'

export interface GatewayOptions {
  configPath: string
  flags: Flags
  environment: Environment
  log: Logger
  /** Replaces the gateway's own table of endpoints. */
  endpoints?: readonly DeclaredEndpoint[]
  logRequest: (line: RequestLine) => void
  /** Shows a new admin key, once. */
  printKey(key: string): void
  /** Output for the progress of a migration. Default: the log. */
  progressOutput?: ProgressOutput
  /** Replaces the system's resolver. */
  resolve?: SettingsOptions['resolve']
  /** Whether to lock the store against other gateways. Workers do not: their primary does. */
  lockStore?: boolean
  /** Whether the store starts its thread while the packages are still being loaded. */
  preparesStore?: boolean
  /** Shared by the workers of one machine; absent in a single process. */
  shared?: SharedState
  /** The primary's counters, for the workers of one machine over an embedded store. */
  counters?: Counters
  /** Makes `/metrics` report all workers. */
  joinMetrics?: (registry: Metrics['registry']) => () => Promise<MetricsText>
}
