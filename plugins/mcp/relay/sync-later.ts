/**
 * After answering a list, syncs an integration that was never synced: those of the config file are not synced at
 * creation. One process does it; after a failure it waits a while.
 */
import { faultReason } from '@gateway/contract'
import { isImpersonal, syncAsSystem } from '../management/sync-routes.ts'
import type { Visit } from './visit.ts'

const leaseMs = 600_000

export function syncLater({ place, runtime }: Pick<Visit, 'place' | 'runtime'>): void {
  const { integration, catalogue } = place
  if (catalogue !== null || !isImpersonal(integration)) return
  const { shared, log, stopping } = runtime.context
  const sync = async () => {
    if (!stopping.aborted && (await shared.acquire(`mcp-first-sync:${integration.id}`, leaseMs)))
      await syncAsSystem(runtime, integration)
  }
  sync().catch((error: unknown) => {
    const reason = faultReason(error)
    log.warn({ integration: integration.slug, reason }, 'failed to sync an MCP server')
  })
}
