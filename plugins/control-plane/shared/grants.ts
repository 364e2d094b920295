/**
 * Callers cannot grant more than they have: finds the rights of a key or role that the caller lacks (fine print,
 * Management). Rights that no credential of the caller's class can have are granted with the right to create keys or
 * add people; otherwise an organisation key could not create a key that calls models.
 */

import type { Identity, KeyClass, OrganisationRole } from '@gateway/contract'
import {
  classMayHold,
  classReach,
  effectiveSettings,
  equalScopes,
  kinds,
  type Reach,
  scopesOfRole,
  settingReader,
  type WorkspaceRole,
} from '@gateway/domain'
import { type Call, forbidden, hasOwnScopes } from '../engine/index.ts'

interface LackedScopeOptions {
  scopes: readonly string[]
  workspaceId: string | null
}

/**
 * The first of a key's scopes that the caller does not have in the key's workspace. Null: the caller has all of them.
 */
export async function lackedScope(
  call: Call,
  keyClass: KeyClass,
  { scopes, workspaceId }: LackedScopeOptions,
): Promise<string | null> {
  for (const scope of scopes) {
    // A user's key has no more rights than the user.
    const needed = keyClass === 'workspace-user' ? 'own' : (classReach(scope, keyClass) ?? 'all')
    if (isBeyond('organisation-service', call.identity, scope)) continue
    if (!reaches(await call.reach(scope, workspaceId), needed)) return scope
  }
  return null
}

/** A role to grant, in the organisation or in one of its workspaces. */
export type GivenRole =
  | { organisation: OrganisationRole }
  /** `workspaceId` is null for a workspace that is being created. */
  | { workspace: WorkspaceRole; workspaceId: string | null }

/**
 * Throws `forbidden` for a role with rights that the caller's credential lacks. For a user in a session, roles are
 * compared by rank. Plain membership requires only the right to add people; a role's rights over own objects are not
 * considered.
 */
export async function checkRoleGrant(call: Call, given: GivenRole, param: string): Promise<void> {
  const isMembership = 'workspace' in given && given.workspace === 'member'
  if (isMembership || !hasOwnScopes(call.identity)) return
  const name = 'organisation' in given ? given.organisation : given.workspace
  const key = `role grant ${JSON.stringify(given)}`
  const known = call.memory.get(key) as Promise<string | null> | undefined
  const lacked = known ?? lackedByRole(call, given)
  call.memory.set(key, lacked)
  const scope = await lacked
  if (scope === null) return
  throw forbidden(`The role ${name} includes the scope ${scope}, which your credential does not have.`, param)
}

async function lackedByRole(call: Call, given: GivenRole): Promise<string | null> {
  const workspaceId = 'workspace' in given ? given.workspaceId : null
  const workspace =
    workspaceId === null ? null : await call.find(kinds.workspace, workspaceId, call.organisationId)
  const { data } = await call.organisation()
  const settings = effectiveSettings(data, workspace?.data ?? null)
  const subject =
    'organisation' in given
      ? { organisation: given.organisation, workspace: null }
      : { organisation: 'member' as const, workspace: given.workspace }
  const ownClass = classOf(call.identity)
  for (const [scope, reach] of scopesOfRole(subject, settingReader(settings))) {
    if (reach === 'own' || (ownClass !== null && isBeyond(ownClass, call.identity, scope))) continue
    if (!reaches(await call.reach(scope, workspaceId), 'all')) return scope
  }
  return null
}

const reaches = (held: Reach | null, needed: Reach) => held === 'all' || (held === 'own' && needed === 'own')

/** The key class that determines the scopes a credential can have. A token has at most those of a workspace's key. */
function classOf({ type }: Identity): KeyClass | null {
  if (type === 'jwt') return 'workspace-service'
  return type === 'organisation-service' || type === 'workspace-service' || type === 'workspace-user'
    ? type
    : null
}

/** Whether no credential of the caller's class can have a scope. */
const isBeyond = (keyClass: KeyClass, identity: Identity, scope: string): boolean =>
  classOf(identity) === keyClass && equalScopes(scope).every((one) => !classMayHold(one, keyClass))
