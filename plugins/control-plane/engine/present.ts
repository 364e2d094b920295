/** How answers show a document. */
import type { Capability, JsonObject, StoredDocument } from '@gateway/contract'
import { kinds, slugKey } from '@gateway/domain'
import type { Call } from './call.ts'
import type { AnyResource, DraftOf, Resource } from './resource.ts'

export const toIso = (ms: number): string => new Date(ms).toISOString()

export const isFileDocument = ({ data }: { data: JsonObject }): boolean => data.source === 'file'

/** Objects that are not in the store: declared in the config file or built in. */
export const isDeclared = ({ data }: { data: JsonObject }): boolean =>
  data.source === 'file' || data.source === 'built-in'

const shownBy = new WeakMap<Resource['fields'], readonly string[]>()

/** The members that show the fields: secrets as their masks. `name` is one of the common members. */
function shownFields({ fields }: AnyResource): readonly string[] {
  const known = shownBy.get(fields)
  if (known !== undefined) return known
  const made = Object.entries(fields)
    .filter(([name, { isTransient }]) => isTransient !== true && name !== 'name')
    .map(([name, { secret }]) => (secret === true ? `masked_${name}` : name))
  shownBy.set(fields, made)
  return made
}

/**
 * The members that follow from the declaration: common and declared fields, secrets masked.
 * @param special members that
 * replace others, or remove them when `undefined`
 */
export function baseView(
  resource: AnyResource,
  document: Omit<StoredDocument, 'version'>,
  special: JsonObject = {},
): JsonObject {
  const { id, data } = document
  const view: JsonObject = { id, object: resource.object }
  if (resource.hasCommonFields !== false) {
    view.name = document.name
    view.slug = document.slug
    view.organisation_id = document.organisation_id
    if (resource.level !== 'organisation') view.workspace_id = document.workspace_id
    view.status = document.status
    view.source = isFileDocument(document) ? 'file' : 'api'
    view.owner_id = data.owner_id ?? null
    view.updated_by = data.updated_by ?? null
  }
  for (const name of shownFields(resource)) {
    const value = name in special ? special[name] : (data[name] ?? null)
    if (value !== undefined) view[name] = value
  }
  if (resource.hasCommonFields !== false) {
    view.created_at = toIso(document.created_at)
    view.last_updated_at = toIso(document.last_updated_at)
  }
  // Assigned to one object: spreading several objects would create a hidden class for each document of a list.
  for (const name in special) {
    const value = special[name]
    if (value !== undefined) view[name] = value
  }
  return view
}

/** The complete object; members that hooks leave `undefined` are omitted. */
export async function present<Need extends Capability>(
  resource: Resource<JsonObject, Need>,
  document: StoredDocument,
  { call, view }: { call: Call<Need>; view: 'one' | 'list' },
): Promise<JsonObject> {
  return baseView(resource, document, await resource.hooks?.present?.(document, call, view))
}

/** The scope in which a document's slug must be unique. */
export function slugScope(
  { slug, level }: Pick<Resource, 'slug' | 'level'>,
  organisationId: string,
  workspaceId: string | null,
): string {
  return slug?.scope === 'organisation' || level === 'organisation'
    ? organisationId
    : (workspaceId ?? organisationId)
}

/** Sets what lookups and filters use: the keys of a live document, and its attributes. */
export function index(resource: AnyResource, draft: DraftOf<JsonObject>): void {
  // Hooks do not read the version.
  const document: StoredDocument<JsonObject> = { ...draft, version: 0 }
  draft.attributes = { ...resource.hooks?.attributes?.(document) }
  const owner = resource.hooks?.ownerId?.(document) ?? null
  if (owner !== null) draft.attributes.user_id = [owner]
  draft.keys = []
  if (draft.status === 'archived') return
  const { slug, organisation_id, workspace_id } = draft
  if (slug !== null && organisation_id !== null) {
    draft.keys.push(slugKey(slugScope(resource, organisation_id, workspace_id), slug))
  }
  draft.keys.push(...(resource.hooks?.keys?.(document) ?? []))
}

/**
 * The config file's and built-in documents of a kind, for the caller's organisation, with the attributes that lists
 * need.
 */
export function fileDocumentsOf(resource: AnyResource, call: Call): StoredDocument[] {
  const { attributes } = resource.hooks ?? {}
  return [...call.context.fileDocuments(), ...(resource.builtIn?.(call) ?? [])]
    .filter(({ kind, organisation_id }) => kind === resource.kind && organisation_id === call.organisationId)
    .map((document) =>
      attributes === undefined
        ? document
        : { ...document, attributes: { ...document.attributes, ...attributes(document) } },
    )
}

export const isWorkspaceKind = ({ kind }: Pick<Resource, 'kind'>): boolean => kind === kinds.workspace
