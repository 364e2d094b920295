/**
 * Who may do what (management contract, section 3): one table of scopes, the key classes that may be given them, and
 * the roles that hold them. Pure data and functions; the data path and the management API read the same table.
 */

import { type KeyClass, type OrganisationRole, ownMember } from '@gateway/contract'
import { grantRows } from './access-table.ts'
import type { WorkspaceRole } from './entities/index.ts'

/** Everything, or only what is the caller's own. */
export type Reach = 'all' | 'own'

/** What holds scopes beside a key's own list. */
export interface RoleSubject {
  organisation: OrganisationRole
  /** In the workspace in question; null for one who is no member. */
  workspace: WorkspaceRole | null
}

/** Whether a security setting is on, the workspace's own counted. */
export type SettingReader = (setting: string) => boolean

/** Every scope that exists, in the table's order. */
export const allScopes: readonly string[] = grantRows.map(({ scope }) => scope)

const rows = new Map(grantRows.map((row) => [row.scope, row]))

/** `providers.*` and `virtual_keys.*` are the same rights, `logs.read` is `logs.view`. */
const synonyms: Readonly<Record<string, string>> = { 'logs.read': 'logs.view' }

/**
 * A scope in its own spelling; null when there is none. `*` and `FAMILY.*` stand for many: see {@link expandScope}.
 */
export function normaliseScope(written: string): string | null {
  const spelt = written.trim().replaceAll(':', '.').replaceAll('-', '_')
  const scope = ownMember(synonyms, spelt) ?? spelt
  if (scope === '*' || rows.has(scope)) return scope
  return scope.endsWith('.*') && allScopes.some((one) => one.startsWith(scope.slice(0, -1))) ? scope : null
}

/**
 * What a written scope gives to a key of this class: one scope, or those of a wildcard that the class may hold.
 * Null when there is no such scope, or the class may have none of it.
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

/** Whether a key of this class may be given a scope. */
export function classMayHold(scope: string, keyClass: KeyClass): boolean {
  return rows.get(scope)?.classes[keyClass] !== undefined
}

/** How far a scope reaches for a key of this class. */
export function classReach(scope: string, keyClass: KeyClass): Reach | null {
  return rows.get(scope)?.classes[keyClass] ?? null
}

/** How far a person's role reaches with a scope; null when it does not hold it. */
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

/** All that a role holds, with how far it reaches. */
export function scopesOfRole(subject: RoleSubject, isOn: SettingReader): ReadonlyMap<string, Reach> {
  const held = new Map<string, Reach>()
  for (const scope of allScopes) {
    const reach = roleReach(scope, subject, isOn)
    if (reach !== null) held.set(scope, reach)
  }
  return held
}

/** What a workspace-user key may do: its scopes as far as its user's present role holds them. */
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

/** `providers.x` where `virtual_keys.x` is asked for, and the reverse: either of them is enough. */
export function equalScopes(scope: string): readonly string[] {
  const [family, action] = scope.split('.')
  if (family === 'providers') return [scope, `virtual_keys.${action}`]
  if (family === 'virtual_keys') return [scope, `providers.${action}`]
  return [scope]
}
