/** Undoes a deletion: an archived object is reactivated, and a deleted one is created again with the same content. */
import { call, load, type Row, send, urlOf } from '../api.ts'
import type { Body, Item } from '../api-types.ts'

/** @returns the id of the restored object */
type TakeBack = () => Promise<string>

export interface Undo {
  /** The right that undoing requires. */
  action: 'update' | 'create'
  /** Default: every object can be restored. */
  canUndo?: (row: Row) => boolean
  /** A sentence about what is not restored. */
  except?: string
  /** Before a deletion, loads the data that Undo needs. */
  prepare: (resource: { api: string }, row: Row) => Promise<TakeBack>
}

/** Undoes the deletion of a kind whose `status` can be set. */
export const reactivate = (except?: string): Undo => ({
  action: 'update',
  ...(except === undefined ? {} : { except }),
  async prepare({ api }, row) {
    const id = String(row.id)
    return async () => {
      await send('PUT', `${api}/${encodeURIComponent(id)}`, { body: { status: 'active' } })
      return id
    }
  },
})

/** The named members that have a value. */
const set = <T extends object>(row: T, names: readonly (keyof T)[]): Partial<T> => {
  const picked: Partial<T> = {}
  for (const name of names) if (row[name] !== null && row[name] !== undefined) picked[name] = row[name]
  return picked
}

type ProviderBody = Body<'post', '/v1/providers'>

const providerMembers = [
  ...['name', 'slug', 'integration_id', 'workspace_id', 'note', 'tags'],
  ...['usage_limits', 'rate_limits', 'expires_at'],
] as const

/** The credential is in the integration, which stays when the provider is deleted. */
export const recreateProvider: Undo = {
  action: 'create',
  canUndo: ({ integration_id: integration }) => typeof integration === 'string',
  except: 'Its usage starts at zero again.',
  async prepare(_, row) {
    const { name, integration_id, ...rest } = set(row, providerMembers)
    const body: ProviderBody = { ...rest, name: String(name), integration_id: String(integration_id) }
    return async () => (await call('POST', '/v1/providers', { body })).id
  },
}

type Version = Item<'/v1/prompts/{id}/versions'>

/** The maximum number of versions, because each is created again by a separate request. */
const mostVersions = 50

const contentMembers = [
  ...(['string', 'model', 'parameters', 'virtual_key', 'config', 'tools', 'functions'] as const),
  ...(['tool_choice', 'is_raw_template', 'template_metadata', 'variables_schema'] as const),
  'version_description',
] as const satisfies readonly (keyof Version)[]

const contentOf = (version: Version) => ({
  ...set(version, contentMembers),
  string: version.string ?? '',
  model: version.model,
})

/** Restores all versions, their labels, and the published version. */
export const recreatePrompt: Undo = {
  action: 'create',
  canUndo: ({ latest_version: latest }) => typeof latest === 'number' && latest <= mostVersions,
  async prepare(_, row) {
    const { id } = row
    const { data } = await load(
      urlOf('/v1/prompts/{id}/versions', { path: { id }, query: { page_size: mostVersions } }),
    )
    const versions = [...data].sort((one, other) => one.prompt_version - other.prompt_version)
    return () => replay(row, versions)
  },
}

async function replay(row: Row, [first, ...later]: readonly Version[]): Promise<string> {
  if (first === undefined) throw new Error('The prompt has no version.')
  const { name, ...place } = set(row, ['name', 'slug', 'collection_id', 'workspace_id', 'test_cases'])
  const made = await call('POST', '/v1/prompts', {
    body: { ...place, name: String(name), ...contentOf(first) },
  })
  const path = { id: made.id }
  for (const version of later)
    await call('PUT', '/v1/prompts/{id}', { path, body: { ...contentOf(version), patch: false } })
  for (const { prompt_version: versionId, labels } of [first, ...later])
    if (labels.length > 0)
      await call('PUT', '/v1/prompts/{id}/versions/{versionId}', {
        path: { ...path, versionId },
        body: { labels },
      })
  if (typeof row.published_version === 'number')
    await call('POST', '/v1/prompts/{id}/publish', { path, body: { version: row.published_version } })
  return made.id
}
