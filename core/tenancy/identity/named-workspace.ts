/** The workspace that a request specifies for a credential (management contract, section 1). Errors: `not_found`. */
import { GatewayError } from '@gateway/contract'
import { unknownName, type WorkspaceData } from '@gateway/domain'
import type { Caller } from '@gateway/flow'
import type { Directory, Known } from './directory.ts'

/**
 * Archived workspaces and those of other organisations count as nonexistent.
 * @param known the workspaces that the caller may list; null when the caller may list none
 */
export const unknownWorkspace = (written: string, known: readonly string[] | null) =>
  new GatewayError('not_found', unknownName({ what: 'workspace', written, known }), {
    param: 'header/x-gateway-workspace-id',
  })

/** The active workspace of an organisation by id or slug; null if it does not exist. */
export async function findLiveWorkspace(
  directory: Directory,
  organisationId: string,
  idOrSlug: string,
): Promise<Known<WorkspaceData> | null> {
  const found = await directory.findWorkspace(organisationId, idOrSlug)
  return found?.document.status === 'active' ? found : null
}

/** The caller in the workspace of the request: the caller's own if the credential is bound to one. */
export async function nameWorkspace(
  directory: Directory,
  caller: Caller,
  idOrSlug: string | null,
): Promise<Caller> {
  const { identity } = caller
  if (idOrSlug === null || idOrSlug === identity.workspaceId || idOrSlug === identity.workspace) return caller
  if (identity.boundWorkspaceId !== null) throw unknownWorkspace(idOrSlug, [identity.workspace])
  const { organisationId, scopes } = identity
  const found = await findLiveWorkspace(directory, organisationId, idOrSlug)
  if (found === null) {
    const mayList = scopes.has('*') || scopes.has('workspaces.list')
    throw unknownWorkspace(idOrSlug, mayList ? await directory.workspaceSlugs(organisationId, null) : null)
  }
  const { document } = found
  return {
    ...caller,
    identity: { ...identity, workspace: document.slug ?? '', workspaceId: document.id },
  }
}
