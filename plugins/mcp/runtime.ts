/** What the parts of this service share for as long as the gateway runs. */
import type { JsonObject, ServiceContext } from '@gateway/contract'
import type { Directory, Integration } from './directory.ts'
import type { SessionPool } from './upstream/pool.ts'
import type { CallIo, Session } from './upstream/session.ts'
import type { UpstreamTarget } from './upstream/target.ts'

export interface McpRuntime {
  context: ServiceContext
  directory: Directory
  /** A session of its own, which nobody shares. */
  openSession(target: UpstreamTarget, io: CallIo): Promise<Session>
  pool: SessionPool
  /** `configurations` in clear, by the version of an integration. */
  opened: WeakMap<Integration, JsonObject>
}
