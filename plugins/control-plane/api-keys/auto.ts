/**
 * Keys that are created for a user automatically: when they join a workspace where `user_api_key_auto_create` is on,
 * and by an invite (management contract, sections 5 and 7). The secret is stored encrypted until its owner fetches it
 * with `reveal`.
 */

import type { DocumentWrite, OrganisationRole, ServiceContext, StoredDocument } from '@gateway/contract'
import {
  allScopes,
  classMayHold,
  effectiveSettings,
  kinds,
  type ManagedKeyData,
  type OrganisationData,
  recordOf,
  roleReach,
  settingReader,
  timeOrderedId,
  typedDocuments,
  type UserData,
  type WorkspaceData,
  type WorkspaceRole,
} from '@gateway/domain'
import { type Call, index } from '../engine/index.ts'
import { noDefaults } from '../shared/index.ts'
import { isoOf, unreadForMs } from './data.ts'
import { countedKey } from './limit.ts'
import { policyOf } from './policy.ts'
import { apiKeys } from './resource.ts'
import { createSecret } from './secret.ts'
import { userKeySettings } from './user.ts'

export interface Joining {
  organisation: StoredDocument<OrganisationData>
  workspace: Pick<StoredDocument<WorkspaceData>, 'id' | 'organisation_id' | 'data'>
  userId: string
  /** The role in the organisation, and the one in the workspace. */
  role: OrganisationRole
  workspaceRole: WorkspaceRole | null
  nowMs: number
}

type Context = ServiceContext<'documents' | 'keyPrefix' | 'sealer'>

/**
 * The key that a user gets on joining a workspace. Empty if the settings do not provide one or the user has one
 * already.
 */
export async function autoKeyWrites(context: Context, joining: Joining): Promise<DocumentWrite[]> {
  if (!isAutomatic(joining)) return []
  const { organisation, workspace, userId, nowMs } = joining
  const documents = typedDocuments(context.documents)
  const { total } = await documents.list(
    kinds.apiKey,
    {
      workspace_ids: [workspace.id],
      statuses: ['active', 'exhausted', 'expired'],
      attributes: { type: ['workspace-user'], user_id: [userId] },
    },
    { offset: 0, limit: 1 },
  )
  if (total > 0) return []
  const made = madeKey(context, joining, { name: 'Default key', scopes: scopesFor(joining) })
  const { limit } = userKeySettings(organisation, workspace)
  if (limit === null) return [made]
  // Counted even though it is the first: a key that the user creates concurrently may exceed the limit.
  const place = { workspaceId: workspace.id, userId, keyId: made.document.id, limit }
  return [made, await countedKey({ documents, organisationId: organisation.id, nowMs }, place)]
}

function isAutomatic({ organisation, workspace }: Joining): boolean {
  const { data } = organisation
  const settings = effectiveSettings(data, workspace.data)
  const isDefault = workspace.id === data.default_workspace_id
  const own = isDefault ? settings.default_workspace_user_api_key_auto_create : null
  return (own ?? settings.user_api_key_auto_create) === true
}

const dataPath: ReadonlySet<string> = new Set([
  ...['completions.write', 'prompts.render', 'guardrails.invoke', 'mcp.invoke', 'agents.invoke'],
  ...['feedbacks.write', 'logs.write', 'models.list'],
])

/** The scopes for calling models, and those for reading that the role permits. */
function scopesFor({ organisation, workspace, role, workspaceRole }: Joining): string[] {
  const isOn = settingReader(effectiveSettings(organisation.data, workspace.data))
  const subject = { organisation: role, workspace: workspaceRole }
  return allScopes.filter(
    (scope) =>
      classMayHold(scope, 'workspace-user') &&
      (dataPath.has(scope) || (/\.(?:read|list)$/.test(scope) && roleReach(scope, subject, isOn) !== null)),
  )
}

/** The write that creates a user's key. */
export function madeKey(
  { keyPrefix, sealer }: Context,
  { organisation, workspace, userId, nowMs }: Joining,
  { name, scopes }: { name: string; scopes: readonly string[] },
): Extract<DocumentWrite, { op: 'put' }> {
  const { ttlMs, rotationPeriod } = userKeySettings(organisation, workspace)
  const { text, stored } = createSecret(keyPrefix, 1)
  const id = timeOrderedId(nowMs)
  const data: ManagedKeyData & { owner_id: string; updated_by: null } = {
    type: 'workspace-user',
    user_id: userId,
    scopes: [...scopes],
    defaults: noDefaults,
    description: null,
    expires_at: ttlMs === null ? null : isoOf(nowMs + ttlMs),
    alert_emails: [],
    secrets: [stored],
    rotation_policy: rotationPeriod === null ? null : policyOf(rotationPeriod, nowMs),
    usage_limits: [],
    rate_limits: [],
    last_reset_at: null,
    creation_mode: 'auto',
    last_rotated_at: null,
    unread: {
      sealed: sealer.seal(text, recordOf({ kind: kinds.apiKey, id })),
      until: isoOf(nowMs + unreadForMs),
    },
    notices: [],
    owner_id: userId,
    updated_by: null,
  }
  const draft = {
    kind: kinds.apiKey,
    id,
    organisation_id: workspace.organisation_id,
    workspace_id: workspace.id,
    slug: null,
    name,
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [] as string[],
    attributes: {} as Record<string, readonly string[]>,
    data,
  }
  index(apiKeys, draft)
  return { op: 'put', document: draft, expected: 0 }
}

/** The keys of users who join a workspace, as writes for the commit that makes them members. */
export async function autoKeysFor(
  call: Call<'keyPrefix'>,
  workspace: Joining['workspace'],
  joining: readonly { user: { id: string; data: UserData }; role: WorkspaceRole; present: unknown }[],
): Promise<DocumentWrite[]> {
  const organisation = await call.documents.get(kinds.organisation, call.organisationId)
  if (organisation === null) return []
  const writes = await Promise.all(
    joining
      .filter(({ present }) => present === null)
      .map(({ user, role: workspaceRole }) =>
        autoKeyWrites(call.context, {
          organisation,
          workspace,
          userId: user.id,
          role: user.data.role,
          workspaceRole,
          nowMs: call.nowMs,
        }),
      ),
  )
  return writes.flat()
}
