/**
 * The default config of a workspace, for requests without a config: shown as `is_default` of the config, stored on the
 * workspace.
 */

import { type DocumentWrite, isObject, type StoredDocument } from '@gateway/contract'
import { kinds, type WorkspaceData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'

interface Named {
  id: string
  slug: string | null
}

/** Whether a reference by id or slug refers to this document. */
const means = (reference: string | null | undefined, { id, slug }: Named): boolean =>
  reference !== null && reference !== undefined && (reference === id || reference === slug)

export const isDefaultOf = ({ data }: StoredDocument<WorkspaceData>, config: Named): boolean =>
  means(data.defaults.config_id, config)

/** The write that makes a config the workspace's default, or removes the default. */
export function defaultWrite(
  { version, ...workspace }: StoredDocument<WorkspaceData>,
  configId: string | null,
  nowMs: number,
): DocumentWrite {
  const data: WorkspaceData = {
    ...workspace.data,
    defaults: { ...workspace.data.defaults, config_id: configId },
  }
  return { op: 'put', document: { ...workspace, data, last_updated_at: nowMs }, expected: version }
}

const memoryKey = (workspaceId: string) => `config-default:${workspaceId}`

/** Reads the workspaces of these documents, once per call. */
export async function preloadDefaults(
  documents: readonly { workspace_id: string | null }[],
  call: Call,
): Promise<void> {
  const wanted = [...new Set(documents.flatMap(({ workspace_id: id }) => (id === null ? [] : [id])))]
  const ids = wanted.filter((id) => !call.memory.has(memoryKey(id)))
  if (ids.length === 0) return
  const page = { offset: 0, limit: ids.length }
  const found = await call.documents.list(kinds.workspace, { ids }, page)
  for (const id of ids) {
    const workspace = found.documents.find((each) => each.id === id)
    call.memory.set(memoryKey(id), workspace === undefined ? null : defaultConfigOf(workspace))
  }
}

/** Whether a config is its workspace's default. */
export async function isDefault(
  config: Named & { workspace_id: string | null },
  call: Call,
): Promise<boolean> {
  if (config.workspace_id === null) return false
  if (!call.memory.has(memoryKey(config.workspace_id))) await preloadDefaults([config], call)
  const reference = call.memory.get(memoryKey(config.workspace_id))
  return typeof reference === 'string' && means(reference, config)
}

/** Updates the call's cache after a write that changed the workspace. */
export function rememberDefault(workspaceId: string, configId: string | null, call: Call): void {
  call.memory.set(memoryKey(workspaceId), configId)
}

function defaultConfigOf({ data }: StoredDocument): string | null {
  const reference = isObject(data.defaults) ? data.defaults.config_id : null
  return typeof reference === 'string' ? reference : null
}
