/**
 * `DELETE /workspaces/{id}` (management.md §6): the objects that block it and those that are archived with the
 * workspace.
 */

import { type DocumentWrite, GatewayError, isObject, type StoredDocument } from '@gateway/contract'
import { kinds, unknownKey, type WorkspaceData } from '@gateway/domain'
import { type Call, conflict, invalidQuery, listAll, type Write } from '../engine/index.ts'
import { archiveWrite } from './join.ts'
import { memberKey } from './member.ts'

/** Kinds that block the deletion, with their names in messages. */
const holding: readonly (readonly [string, string])[] = [
  [kinds.provider, 'provider'],
  [kinds.config, 'config'],
  [kinds.guardrail, 'guardrail'],
  ['prompt', 'prompt'],
  [kinds.integration, 'integration'],
]

/** Kinds that are archived without blocking it. A membership in a deleted workspace must not grant a role. */
const following = [
  ...[kinds.apiKey, kinds.member],
  ...[kinds.rateLimitPolicy, kinds.usageLimitPolicy, kinds.integrationAccess, kinds.scimMapping],
]

const maxNamed = 11
const live = ['active', 'exhausted', 'expired']

interface Asked {
  isForced: boolean
}

/** Reads `name` and `force_delete` from body or query. Throws if the name is not the workspace's. */
function readAsked(call: Call, workspace: { name: string | null }): Asked {
  const { query } = call.request
  const body = call.sent
  const sent: Record<string, unknown> = isObject(body) ? body : {}
  const unknown = Object.keys(sent).find((name) => name !== 'name' && name !== 'force_delete')
  const fail = (param: string, message: string) => {
    throw new GatewayError('invalid_body', `${param}: ${message}`, { param })
  }
  if (body !== undefined && body !== null && !isObject(body)) fail('/', 'must be a JSON object')
  if (unknown !== undefined) fail('/', unknownKey(unknown, ['name', 'force_delete']))
  if (sent.name !== undefined && sent.name !== workspace.name)
    fail('/name', 'is not the name of this workspace')
  if (query.name !== undefined && query.name !== workspace.name) {
    throw invalidQuery('name', 'is not the name of this workspace')
  }
  if (sent.force_delete !== undefined && typeof sent.force_delete !== 'boolean')
    fail('/force_delete', 'must be boolean')
  const { force_delete: written = 'false' } = query
  if (written !== 'true' && written !== 'false') throw invalidQuery('force_delete', 'must be true or false')
  return { isForced: sent.force_delete === undefined ? written === 'true' : sent.force_delete === true }
}

/** Names of live objects in the workspace. Throws for the default workspace. */
export async function usersOfWorkspace(
  workspace: StoredDocument<WorkspaceData>,
  call: Call,
): Promise<string[]> {
  const { isForced } = readAsked(call, workspace)
  const { data } = await call.organisation()
  if (data.default_workspace_id === workspace.id) throw conflict('The default workspace cannot be deleted.')
  if (isForced) return []
  const names: string[] = []
  for (const [kind, title] of holding) {
    const { documents } = await call.documents.list(
      kind,
      { organisation_id: call.organisationId, workspace_ids: [workspace.id], statuses: live },
      { offset: 0, limit: maxNamed },
    )
    names.push(...documents.map(({ slug, name, id }) => `${title} ${slug ?? name ?? id}`))
  }
  return names
}

/** Everything that is archived with the workspace. */
export async function archiveContents({ draft, call }: Write<WorkspaceData>): Promise<DocumentWrite[]> {
  const found: StoredDocument[] = []
  for (const kind of [...holding.map(([kind]) => kind), ...following]) {
    found.push(
      ...(await listAll(call, kind, {
        organisation_id: call.organisationId,
        workspace_ids: [draft.id],
        statuses: live,
      })),
    )
  }
  return found.map((document) => archiveWrite(document, call.nowMs))
}

/** Restores the members that were archived with the workspace. */
export async function restoreMembers({ draft, call }: Write<WorkspaceData>): Promise<DocumentWrite[]> {
  const gone = await listAll(call, kinds.member, {
    organisation_id: call.organisationId,
    workspace_ids: [draft.id],
    statuses: ['archived'],
  })
  return gone.map(({ version, ...member }) => ({
    op: 'put',
    expected: version,
    document: {
      ...member,
      status: 'active',
      keys: [memberKey(draft.id, member.data.user_id)],
    },
  }))
}
