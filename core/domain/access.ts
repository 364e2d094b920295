/**
 * Access rights (management contract, section 3): one table of scopes, the key classes that may have them, and the
 * roles that include them. Pure data and functions, shared by the data path and the management API.
 */

import { type KeyClass, type OrganisationRole, ownMember } from '@gateway/contract'
import { grantRows } from './access-table.ts'
import type { WorkspaceRole } from './entities/index.ts'

/** The objects that a scope applies to: all, or only the caller's own. */
export type Reach = 'all' | 'own'

/** Sources of scopes besides a key's own list. */
interface RoleSubject {
  organisation: OrganisationRole
  /** The role in the workspace in question; null for non-members. */
  workspace: WorkspaceRole | null
}

/** Whether a security setting is on, including the workspace's overrides. */
export type SettingReader = (setting: string) => boolean

/** Every scope that exists, in the table's order. */
export const allScopes: readonly string[] = grantRows.map(({ scope }) => scope)

const rows = new Map(grantRows.map((row) => [row.scope, row]))

/** `providers.*` and `virtual_keys.*` are the same rights, `logs.read` is `logs.view`. */
const synonyms: Readonly<Record<string, string>> = { 'logs.read': 'logs.view' }

/**
 * The canonical spelling of a scope; null when unknown. For `*` and `FAMILY.*` see {@link expandScope}.
 */
export function normaliseScope(written: string): string | null {
  const spelt = written.trim().replaceAll(':', '.').replaceAll('-', '_')
  const scope = ownMember(synonyms, spelt) ?? spelt
  if (scope === '*' || rows.has(scope)) return scope
  return scope.endsWith('.*') && allScopes.some((one) => one.startsWith(scope.slice(0, -1))) ? scope : null
}

/**
 * The scopes that a written scope grants to a key of this class: one, or those that a wildcard covers. Null when it is
 * unknown or the class may have none of them.
 */
export function expandScope(written: string, keyClass: KeyClass): readonly string[] | null {
  const scope = normaliseScope(written)
  if (scope === null) return null
  const wanted = scope === '*' ? allScopes : scope.endsWith('.*') ? ofFamily(scope.slice(0, -1)) : [scope]
  const given = wanted.filter((one) => classMayHold(one, keyClass))
  return given.length === 0 ? null : given
}

/** The scopes that a key of this class may have. */
export const scopesOfClass = (keyClass: KeyClass): readonly string[] =>
  allScopes.filter((scope) => classMayHold(scope, keyClass))

const ofFamily = (prefix: string) => allScopes.filter((scope) => scope.startsWith(prefix))

/** Whether a key of this class may have a scope. */
export function classMayHold(scope: string, keyClass: KeyClass): boolean {
  return rows.get(scope)?.classes[keyClass] !== undefined
}

/** The reach of a scope for a key of this class. */
export function classReach(scope: string, keyClass: KeyClass): Reach | null {
  return rows.get(scope)?.classes[keyClass] ?? null
}

/** The reach of a scope for a person's role; null if the role does not include it. */
export function roleReach(
  scope: string,
  { organisation, workspace }: RoleSubject,
  isOn: SettingReader,
): Reach | null {
  const row = rows.get(scope)
  if (row === undefined) return null
  if (organisation !== 'member') {
    const isBound = organisation === 'admin' && row.adminSettings.some((setting) => !isOn(setting))
    return isBound ? null : row.roles.owner
  }
  const grant = workspace === null ? row.roles.outsider : row.roles[workspace]
  if (grant === null) return null
  return grant.settings.every(isOn) ? grant.reach : null
}

/** All scopes of a role with their reach. */
export function scopesOfRole(subject: RoleSubject, isOn: SettingReader): ReadonlyMap<string, Reach> {
  const held = new Map<string, Reach>()
  for (const scope of allScopes) {
    const reach = roleReach(scope, subject, isOn)
    if (reach !== null) held.set(scope, reach)
  }
  return held
}

/** The permissions of a workspace-user key: its scopes, limited to its user's current role. */
export function scopesOfUserKey(
  scopes: Iterable<string>,
  subject: RoleSubject,
  isOn: SettingReader,
): ReadonlySet<string> {
  const held = new Set<string>()
  for (const scope of scopes) {
    if (classMayHold(scope, 'workspace-user') && roleReach(scope, subject, isOn) !== null) held.add(scope)
  }
  return held
}

/** `providers.x` for `virtual_keys.x` and vice versa: either is sufficient. */
export function equalScopes(scope: string): readonly string[] {
  const [family, action] = scope.split('.')
  if (family === 'providers') return [scope, `virtual_keys.${action}`]
  if (family === 'virtual_keys') return [scope, `providers.${action}`]
  return [scope]
}
