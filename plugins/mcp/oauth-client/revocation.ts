/**
 * Revokes upstream and erases connections that were archived with their user: immediately in the process that first
 * learns of it, and with a job for those that a stopped process has left.
 */
import { faultReason, type Job } from '@gateway/contract'
import type { McpRuntime } from '../runtime.ts'
import { connectionKind } from './connections.ts'

const everyMs = 60_000
const leaseMs = 30_000

export interface Revocation {
  job: Job
  close(): void
}

export function createRevocation({
  connections,
  context,
}: Pick<McpRuntime, 'connections' | 'context'>): Revocation {
  const { documents, shared } = context
  const lease = 'mcp-revocation'

  async function run(): Promise<void> {
    if (!(await shared.acquire(lease, leaseMs))) return
    try {
      let ended = await connections.endArchived()
      while (ended > 0 && !context.stopping.aborted) ended = await connections.endArchived()
    } finally {
      await shared.delete(lease)
    }
  }

  const unwatch = documents.watch((changes) => {
    if (!changes.some(({ kind }) => kind === connectionKind)) return
    run().catch((error: unknown) => {
      const reason = faultReason(error)
      context.log.warn({ reason }, 'failed to revoke connections to MCP servers; the job will retry')
    })
  })
  return { job: { name: lease, intervalMs: everyMs, run }, close: unwatch }
}
