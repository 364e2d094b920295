/** Saved configs of a workspace: those of the file, and stored ones, read and compiled when they are first asked for. */

import { type Documents, type Fault, faultsError, type Sealer } from '@gateway/contract'
import { LRUCache } from 'lru-cache'
import { compileConfig } from '../../config/compile.ts'
import type { Config } from '../../config/schema.ts'
import {
  type DocumentOf,
  kinds,
  openContent,
  recordOf,
  slugKey,
  type TypedDocuments,
  typedDocuments,
} from '../../domain/index.ts'
import type { ConfigNode } from '../../flow/config-node.ts'
import type { Settings } from '../../flow/settings.ts'

const maxCompiled = 2000
/** An id that is unknown is asked for again after this: many requests may name it. */
const missingMs = 1000
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** Finds by slug or id; null when there is none. Errors: `store_unavailable`, what is wrong with a config that once was right. */
export function createStoredConfigs(
  settings: Settings,
  workspaceId: string,
  { documents, sealer }: { documents: Documents; sealer: Sealer },
): Settings['findConfig'] {
  const compiled = new LRUCache<string, ConfigNode>({ max: maxCompiled })
  const missing = new LRUCache<string, true>({ max: maxCompiled, ttl: missingMs })

  async function read(id: string): Promise<ConfigNode | null> {
    const document = await findDocument(typedDocuments(documents), workspaceId, id)
    if (document === null) {
      missing.set(id, true)
      return null
    }
    const node = compile(settings, document, sealer)
    compiled.set(id, node)
    return node
  }

  return async (id) => {
    const known = settings.configs.get(id) ?? compiled.get(id)
    if (known !== undefined) return known
    return missing.has(id) ? null : read(id)
  }
}

async function findDocument(
  documents: TypedDocuments,
  workspaceId: string,
  id: string,
): Promise<DocumentOf<'config'> | null> {
  const bySlug = await documents.findByKey(kinds.config, slugKey(workspaceId, id))
  if (bySlug !== null || !uuid.test(id)) return bySlug
  const byId = await documents.get(kinds.config, id)
  return byId?.workspace_id === workspaceId && byId.status === 'active' ? byId : null
}

function compile(settings: Settings, document: DocumentOf<'config'>, sealer: Sealer): ConfigNode {
  const { id, slug, data } = document
  const faults: Fault[] = []
  // It was checked when it was written; what it refers to may be gone since.
  const config = openContent(data.config, sealer, recordOf(document))
  const node = compileConfig(config as Config, { ...settings.context, isSaved: true }, 'config', faults)
  if (faults.length > 0) throw faultsError(faults)
  return { ...node, saved: { slug: slug ?? id, id } }
}
