/** The rights of a management route's caller, from its key class and roles, by the table of management.md §3. */
import type { Identity, StoredDocument } from '@gateway/contract'
import {
  classReach,
  effectiveSettings,
  equalScopes,
  kinds,
  type OrganisationData,
  type Reach,
  roleReach,
  type SettingReader,
  settingReader,
  type TypedDocuments,
  type WorkspaceData,
  type WorkspaceRole,
} from '@gateway/domain'

export interface Rights {
  reach(scope: string, workspaceId: string | null): Promise<Reach | null>
  seesAllWorkspaces(): boolean
  visibleWorkspaces(): Promise<readonly string[] | null>
}

export interface RightsSource {
  identity: Identity
  documents: TypedDocuments
  organisation(): Promise<StoredDocument<OrganisationData> | null>
  workspaceById(id: string): Promise<StoredDocument<WorkspaceData> | null>
}

const maxMemberships = 10_000

/** Whether a credential has its own rights, like keys and tokens. A session has those of its user. */
export const hasOwnScopes = ({ type, keyId, role }: Identity) =>
  type !== 'session' || keyId !== null || role === null

export function createRights({ identity, documents, organisation, workspaceById }: RightsSource): Rights {
  const isRuler = identity.role === 'owner' || identity.role === 'admin'
  let memberships: Promise<ReadonlyMap<string, WorkspaceRole>> | null = null
  const readers = new Map<string | null, Promise<SettingReader>>()

  /** The calling user's role in each workspace. */
  function roles(): Promise<ReadonlyMap<string, WorkspaceRole>> {
    memberships ??= (async () => {
      if (identity.userId === null) return new Map()
      const { documents: found } = await documents.list(
        kinds.member,
        {
          organisation_id: identity.organisationId,
          statuses: ['active'],
          attributes: { user_id: [identity.userId] },
        },
        { offset: 0, limit: maxMemberships },
      )
      return new Map(
        found.flatMap(({ workspace_id, data }) =>
          workspace_id === null ? [] : [[workspace_id, data.role] as const],
        ),
      )
    })()
    return memberships
  }

  function readerOf(workspaceId: string | null): Promise<SettingReader> {
    const known = readers.get(workspaceId)
    if (known !== undefined) return known
    const made = (async () => {
      const workspace = workspaceId === null ? null : await workspaceById(workspaceId)
      return settingReader(effectiveSettings((await organisation())?.data ?? null, workspace?.data ?? null))
    })()
    readers.set(workspaceId, made)
    return made
  }

  async function personReach(scope: string, workspaceId: string | null): Promise<Reach | null> {
    const { role } = identity
    if (role === null) return null
    if (isRuler) return roleReach(scope, { organisation: role, workspace: null }, await readerOf(workspaceId))
    const held = await roles()
    if (workspaceId !== null) {
      const workspace = held.get(workspaceId)
      if (workspace === undefined) return null
      return roleReach(scope, { organisation: role, workspace }, await readerOf(workspaceId))
    }
    // At the organisation level: the scopes of any of the user's roles, and those of every user.
    let best = roleReach(scope, { organisation: role, workspace: null }, await readerOf(null))
    for (const [id, workspace] of held) {
      if (best === 'all') break
      best = roleReach(scope, { organisation: role, workspace }, await readerOf(id)) ?? best
    }
    return best
  }

  async function ownReach(scope: string, workspaceId: string | null): Promise<Reach | null> {
    if (!identity.scopes.has('*') && !identity.scopes.has(scope)) return null
    const { boundWorkspaceId, type } = identity
    if (boundWorkspaceId !== null && workspaceId !== null && workspaceId !== boundWorkspaceId) return null
    if (type === 'organisation-service' || type === 'workspace-service') return classReach(scope, type)
    if (type === 'workspace-user') {
      const limit = classReach(scope, type)
      return limit === 'all' ? await personReach(scope, workspaceId ?? boundWorkspaceId) : limit
    }
    if (identity.userId === null) return 'all'
    return (await personReach(scope, workspaceId ?? boundWorkspaceId)) ?? 'own'
  }

  return {
    async reach(scope, workspaceId) {
      if (identity.type === 'admin') return 'all'
      const one = hasOwnScopes(identity) ? ownReach : personReach
      let best: Reach | null = null
      for (const spelt of equalScopes(scope)) {
        if (best === 'all') break
        best = (await one(spelt, workspaceId)) ?? best
      }
      return best
    },
    seesAllWorkspaces() {
      if (identity.type === 'admin' || identity.type === 'organisation-service') return true
      return identity.boundWorkspaceId === null && isRuler
    },
    async visibleWorkspaces() {
      if (this.seesAllWorkspaces()) return null
      if (identity.boundWorkspaceId !== null) return [identity.boundWorkspaceId]
      return [...(await roles()).keys()]
    },
  }
}
