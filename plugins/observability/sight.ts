/**
 * The part of the log that a caller may see: the workspaces in which they have the scope and, where settings restrict
 * it, only calls of their own keys (management contract, sections 3 and 5). Errors: 403 `missing_scope`; 403
 * `forbidden` naming the setting that withholds it; 404 `not_found` for a workspace.
 */
import type { LogFilter } from '@gateway/contract'
import { type Call, commaList, forbidden, listAll, missingScope } from '@gateway/control-plane/engine'
import { effectiveSettings, kinds, settingReader, type WorkspaceRole } from '@gateway/domain'

export type LogScope =
  | 'logs.list'
  | 'logs.view'
  | 'logs.export'
  | 'logs.delete'
  | 'feedbacks.read'
  | 'analytics.view'

/** The filter for the visible part. */
export type Sight = Pick<LogFilter, 'organisation_id' | 'workspace_ids' | 'own'>

/** Settings that withhold a scope from a role, by the end of their names. */
const withheldBy: Readonly<Record<LogScope, readonly string[]>> = {
  'logs.list': ['ViewLogMetadata'],
  'logs.view': ['ViewLogMetadata', 'ViewLogs'],
  'logs.export': ['ViewLogMetadata'],
  'logs.delete': [],
  'feedbacks.read': ['ViewLogMetadata'],
  'analytics.view': ['ViewAnalytics'],
}

/** Refuses a caller who has the scope in no workspace. */
export async function requireSight(call: Call, scope: LogScope): Promise<void> {
  const places = call.seesAllWorkspaces() ? [null] : ((await call.visibleWorkspaces()) ?? [null])
  for (const place of places) if (await call.holds(scope, place)) return
  throw await refusal(call, scope, places[0] ?? null)
}

/** The workspaces in a query, by `workspace_id` or `workspace_slug`; null if the query has none. */
async function namedWorkspaces(
  call: Call,
  names: Readonly<Record<string, unknown>>,
): Promise<string[] | null> {
  const { workspace_id: id, workspace_slug: slugs } = names
  if (typeof id === 'string' && id !== '') return [(await call.workspace(id)).id]
  if (typeof slugs !== 'string' || slugs === '') return null
  const found: string[] = []
  for (const slug of commaList(slugs)) found.push((await call.workspace(slug, 'query/workspace_slug')).id)
  return found
}

/** @param names `workspace_id` and `workspace_slug` as sent */
export async function sightOf(
  call: Call,
  scope: LogScope,
  names: Readonly<Record<string, unknown>> = call.query,
): Promise<Sight> {
  const named = await namedWorkspaces(call, names)
  const wanted = named ?? (await call.visibleWorkspaces())
  const sight: Sight = { organisation_id: call.organisationId }
  if (wanted === null) {
    if (!(await call.holds(scope, null))) throw await refusal(call, scope, null)
    return sight
  }
  const held: string[] = []
  for (const id of wanted) if (await call.holds(scope, id)) held.push(id)
  const [missing] = wanted.filter((id) => !held.includes(id))
  if (held.length === 0 || (named !== null && missing !== undefined)) {
    throw await refusal(call, scope, missing ?? null)
  }
  const limited: string[] = []
  for (const id of held) if (await seesOwnOnly(call, id)) limited.push(id)
  if (limited.length === 0) return { ...sight, workspace_ids: held }
  const own = { workspace_ids: limited, api_key_ids: await ownKeys(call) }
  return { ...sight, workspace_ids: held, own }
}

/** The role of the calling user in a workspace. Null for service keys, owners and admins. */
async function roleIn(call: Call, workspaceId: string): Promise<WorkspaceRole | null> {
  const { userId, role } = call.identity
  if (userId === null || role === null || role !== 'member') return null
  const [member] = await listAll(call, kinds.member, {
    organisation_id: call.organisationId,
    workspace_ids: [workspaceId],
    statuses: ['active'],
    attributes: { user_id: [userId] },
  })
  return member?.data.role ?? null
}

/** The prefix of the settings for a role. Null if no setting restricts it. */
async function settingPrefix(call: Call, workspaceId: string | null): Promise<string | null> {
  if (call.identity.type === 'admin') return null
  if (call.identity.role === 'admin') return 'organisationAdmins'
  const role = workspaceId === null ? null : await roleIn(call, workspaceId)
  return role === 'manager' ? 'managers' : role === 'member' ? 'members' : null
}

async function settingsIn(call: Call, workspaceId: string | null): Promise<(setting: string) => boolean> {
  const workspace = workspaceId === null ? null : await call.documents.get(kinds.workspace, workspaceId)
  const organisation = await call.organisation()
  return settingReader(effectiveSettings(organisation.data, workspace?.data ?? null))
}

/** Whether settings show the caller only calls of their own keys in a workspace. */
export async function seesOwnOnly(call: Call, workspaceId: string): Promise<boolean> {
  const prefix = await settingPrefix(call, workspaceId)
  if (prefix === null || prefix === 'organisationAdmins') return false
  return !(await settingsIn(call, workspaceId))(`${prefix}ViewAllData`)
}

/** Ids of all keys that the user ever had, because calls of archived keys are theirs as well. */
async function ownKeys(call: Call): Promise<string[]> {
  const { userId } = call.identity
  if (userId === null) return []
  const keys = await listAll(call, kinds.apiKey, {
    organisation_id: call.organisationId,
    statuses: ['active', 'exhausted', 'expired', 'archived'],
    attributes: { user_id: [userId] },
  })
  return keys.map(({ id }) => id)
}

/** The error for a missing scope: the setting that withholds it from the caller's role, or the scope itself. */
async function refusal(call: Call, scope: LogScope, workspaceId: string | null) {
  const { scopes, keyId } = call.identity
  const prefix = await settingPrefix(call, workspaceId)
  const isGiven = keyId === null || scopes.has('*') || scopes.has(scope) || prefix !== null
  if (prefix === null || !isGiven) return missingScope([scope])
  const isOn = await settingsIn(call, workspaceId)
  const withheld = withheldBy[scope].map((end) => prefix + end).find((setting) => !isOn(setting))
  return withheld === undefined
    ? missingScope([scope])
    : forbidden(`The setting ${withheld} of the organisation or the workspace does not allow this.`, withheld)
}
/** Throws unless the caller may see metadata, which groups by metadata and lists of users show. */
export async function requireMetadata(call: Call, sight: Sight): Promise<void> {
  for (const id of sight.workspace_ids ?? [null]) {
    const prefix = await settingPrefix(call, id)
    if (prefix === null) continue
    const setting = `${prefix}ViewLogMetadata`
    if (!(await settingsIn(call, id))(setting))
      throw forbidden(
        `The setting ${setting} of the organisation or the workspace does not allow this.`,
        setting,
      )
  }
}
