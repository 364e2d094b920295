/** Saved configs of a workspace: those of the file, and stored ones, read and compiled on first use. */

import { compileConfig } from '@gateway/config'
import type { Config } from '@gateway/config-file'
import {
  compileTogether,
  type Documents,
  type Fault,
  faultsError,
  isGatewayError,
  isObject,
  type JsonObject,
  type Sealer,
} from '@gateway/contract'
import {
  type DocumentOf,
  kinds,
  openContent,
  type RolloutData,
  recordOf,
  slugKey,
  type TypedDocuments,
  typedDocuments,
  versionKey,
} from '@gateway/domain'
import { atMost, type ConfigNode, type Rollout, type SavedConfig, type Settings } from '@gateway/flow'
import { LRUCache } from 'lru-cache'

const maxCompiled = 2000
/** Unknown ids are looked up again after this time, because many requests may use them. */
const missingMs = 1000
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** A version specified after a config's slug or id. */
const versioned = /^(.+)@([1-9]\d{0,8})$/

function splitVersion(id: string): { id: string; version: number | null } {
  const match = versioned.exec(id)
  return match?.[1] === undefined ? { id, version: null } : { id: match[1], version: Number(match[2]) }
}

/** A config of the file, which has one version. */
export function findFileConfig(configs: ReadonlyMap<string, ConfigNode>, written: string): ConfigNode | null {
  const { id, version } = splitVersion(written)
  return version === null || version === 1 ? (configs.get(id) ?? null) : null
}

/** The maximum number of a workspace's configs in the model list. */
const maxListed = 1000

/**
 * The saved configs of a workspace.
 * Errors: `store_unavailable`, and the errors of a config that used to be valid.
 */
export function createStoredConfigs(
  settings: Settings,
  workspaceId: string,
  ports: { documents: Documents; sealer: Sealer },
): Pick<Settings, 'findConfig' | 'listConfigs'> {
  const { sealer } = ports
  const documents = typedDocuments(ports.documents)
  const compiled = new LRUCache<string, ConfigNode>(atMost(maxCompiled))
  const missing = new LRUCache<string, true>({ ...atMost(maxCompiled), ttl: missingMs })

  async function read(written: string): Promise<ConfigNode | null> {
    const node = await load(written)
    if (node === null) missing.set(written, true)
    else compiled.set(written, node)
    return node
  }

  async function load(written: string): Promise<ConfigNode | null> {
    const { id, version } = splitVersion(written)
    const document = await findDocument(documents, workspaceId, id)
    if (document === null) return null
    const { config: content, config_version, rollout } = document.data
    if (version !== null && version !== config_version) return loadVersion(document, version)
    const live = compile(settings, document, {
      version: config_version,
      content,
      record: recordOf(document),
      sealer,
    })
    // A request that specifies a version gets that version.
    return version === null && rollout?.status === 'running'
      ? { ...live, rollout: await loadRollout(document, rollout) }
      : live
  }

  async function loadVersion(document: DocumentOf<'config'>, version: number): Promise<ConfigNode | null> {
    const found = await documents.findByKey(kinds.configVersion, versionKey(document.id, version))
    const content = found?.data.content.config
    return found !== null && isObject(content)
      ? compile(settings, document, { version, content, record: recordOf(found), sealer })
      : null
  }

  /** Null if the new version refers to an object that no longer exists. The control plane ends its rollout. */
  async function loadRollout(
    document: DocumentOf<'config'>,
    { id, to, percent }: RolloutData,
  ): Promise<Rollout | null> {
    try {
      const candidate = await loadVersion(document, to)
      return candidate === null ? null : { id, percent, candidate }
    } catch (error) {
      if (isGatewayError(error) && error.status < 500) return null
      throw error
    }
  }

  return {
    async findConfig(id) {
      const known = findFileConfig(settings.configs, id) ?? compiled.get(id)
      if (known !== undefined && known !== null) return known
      return missing.has(id) ? null : read(id)
    },
    async listConfigs() {
      const page = await documents.list(
        kinds.config,
        { workspace_ids: [workspaceId], statuses: ['active'] },
        { sort: 'name', order: 'asc', offset: 0, limit: maxListed },
      )
      const stored = page.documents.map((document) => savedOf(document, document.data.config_version))
      const declared = [...settings.configs.values()].flatMap(({ saved }) => saved ?? [])
      return [...declared, ...stored]
    },
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

interface Content {
  version: number
  content: JsonObject
  /** The record to which its secrets are bound. */
  record: string
}

function compile(
  settings: Settings,
  document: DocumentOf<'config'>,
  { version, content, record, sealer }: Content & { sealer: Sealer },
): ConfigNode {
  const faults: Fault[] = []
  // It was valid when written, but its references may have been removed.
  const config = openContent(content, sealer, record)
  const context = { ...settings.context, isSaved: true }
  const node = compileTogether(() => compileConfig(config as Config, context, { param: 'config', faults }))
  if (faults.length > 0) throw faultsError(faults)
  return { ...node, saved: savedOf(document, version) }
}

const savedOf = ({ slug, id }: DocumentOf<'config'>, version: number): SavedConfig => ({
  slug: slug ?? id,
  id,
  version,
})
