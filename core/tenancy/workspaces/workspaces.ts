/**
 * The configuration of each workspace: the file's, merged with stored objects of the workspace and its organisation,
 * compiled once and cached until the store notifies of a change (management contract, section 1). Errors:
 * `store_unavailable` if nothing is cached, or if the cached configuration is older than {@link staleServeMs}.
 */

import { type DocumentChange, type Documents, faultReason, type Ports, type Sealer } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import type { MaybePromise, Settings } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { SecretValues } from '../secrets/secret-values.ts'
import { type LimitsOf, loadWorkspace } from './load-workspace.ts'

export interface Workspaces {
  settingsOf(workspaceId: string): MaybePromise<Settings>
  close(): void
}

export interface WorkspacesOptions {
  ports: Ports
  sealer: Sealer
  secrets: SecretValues
  current: { readonly settings: Settings }
  limitsOf: LimitsOf
  log: Pick<Logger, 'warn'>
}

interface View {
  settings: Settings
  /** The file's part: another after a reload. */
  base: Settings
  /**
   * The time when the store notified of a change that is not yet included, in milliseconds since the epoch; null if the
   * configuration is current.
   */
  staleSince: number | null
}

/** The time for which a cached configuration is used while the store is unavailable. */
const staleServeMs = 10 * 60_000
const maxWorkspaces = 1000

/** Kinds whose documents are part of a view. */
const viewed: ReadonlySet<string> = new Set([
  kinds.organisation,
  kinds.workspace,
  kinds.integration,
  kinds.integrationAccess,
  kinds.provider,
  kinds.secretReference,
  kinds.config,
  kinds.guardrail,
  kinds.pluginSettings,
  kinds.rateLimitPolicy,
  kinds.usageLimitPolicy,
])

export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const { ports, current, log } = options
  const views = new LRUCache<string, View>({ max: maxWorkspaces })
  const loading = new Map<string, Promise<Settings>>()
  const unwatch = watch(ports.documents, views, loading)

  async function load(workspaceId: string): Promise<Settings> {
    const base = current.settings
    const known = views.get(workspaceId)
    try {
      const loaded = await loadWorkspace(workspaceId, base, {
        ...options,
        report: (slug, reason) =>
          log.warn({ workspace_id: workspaceId, slug, reason }, 'a stored provider is unusable'),
      })
      // It may lack changes made during the read, so only this request uses it.
      if (loading.get(workspaceId) !== undefined)
        views.set(workspaceId, { settings: loaded, base, staleSince: null })
      return loaded
    } catch (error) {
      if (known === undefined || Date.now() - (known.staleSince ?? Date.now()) > staleServeMs) throw error
      log.warn(
        { workspace_id: workspaceId, reason: faultReason(error) },
        'the store does not respond; using the cached workspace configuration',
      )
      return known.settings
    } finally {
      loading.delete(workspaceId)
    }
  }

  return {
    settingsOf(workspaceId) {
      const known = views.get(workspaceId)
      if (known !== undefined && known.staleSince === null && known.base === current.settings)
        return known.settings
      const underWay = loading.get(workspaceId)
      if (underWay !== undefined) return underWay
      const started = load(workspaceId)
      loading.set(workspaceId, started)
      return started
    },
    close: unwatch,
  }
}

/** Marks the views that a change affects; a change of the whole organisation affects every view. */
function watch(
  documents: Documents,
  views: LRUCache<string, View>,
  loading: Map<string, Promise<Settings>>,
): () => void {
  const markAll = () => {
    for (const workspaceId of [...views.keys()]) mark(workspaceId)
    loading.clear()
  }
  const mark = (workspaceId: string) => {
    const view = views.peek(workspaceId)
    if (view !== undefined) view.staleSince ??= Date.now()
    loading.delete(workspaceId)
  }
  return documents.watch((changes: readonly DocumentChange[]) => {
    if (changes.length === 0) return markAll()
    for (const { kind, id, workspace_id } of changes) {
      if (!viewed.has(kind)) continue
      if (kind === kinds.workspace) mark(id)
      else if (workspace_id === null) markAll()
      else mark(workspace_id)
    }
  })
}
