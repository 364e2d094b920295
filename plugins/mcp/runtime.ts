/** The state of this service, which lives as long as the gateway. */
import type { ManagementContext } from '@gateway/control-plane/engine'
import type { ClearConfigurations } from '@gateway/control-plane/remote-servers'
import type { Directory } from './directory.ts'
import type { ClientTokens } from './oauth-client/client-credentials.ts'
import type { Connections } from './oauth-client/connections.ts'
import type { Tokens } from './oauth-server/tokens.ts'
import type { Signer } from './signer.ts'
import type { OpenSession } from './upstream/open-session.ts'
import type { SessionPool } from './upstream/pool.ts'

export interface McpRuntime {
  context: ManagementContext<
    'allowsOrigin' | 'checkUrl' | 'fetch' | 'keySets' | 'publicUrl' | 'shared' | 'stopping'
  >
  directory: Directory
  /** Opens a separate, unshared session. */
  openSession: OpenSession
  pool: SessionPool
  /** Calls that a stopping gateway aborts; one listener serves them all. */
  running: Set<AbortController>
  tokens: Tokens
  /**
   * The time when a client with too many failures at the token endpoint may try again, in milliseconds since the epoch.
   */
  failures: Map<string, number>
  signer: Signer
  connections: Connections
  clientTokens: ClientTokens
  configurationsOf: ClearConfigurations
}
