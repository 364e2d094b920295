/** The workspace that a request names for a credential (management contract, section 1). Errors: `not_found`. */
import { GatewayError } from '@gateway/contract'
import type { WorkspaceData } from '../../domain/index.ts'
import type { Caller } from '../../flow/caller.ts'
import type { Directory, Known } from './directory.ts'

/** Archived workspaces and those of other organisations count as nonexistent. */
export const unknownWorkspace = () =>
  new GatewayError('not_found', 'Workspace not found.', { param: 'header/x-gateway-workspace-id' })

/** The active workspace of an organisation by id or slug. */
export async function requireWorkspace(
  directory: Directory,
  organisationId: string,
  idOrSlug: string,
): Promise<Known<WorkspaceData>> {
  const found = await directory.findWorkspace(organisationId, idOrSlug)
  if (found === null || found.document.status !== 'active') throw unknownWorkspace()
  return found
}

/** The caller in the workspace of the request: the caller's own if the credential is bound to one. */
export async function nameWorkspace(
  directory: Directory,
  caller: Caller,
  idOrSlug: string | null,
): Promise<Caller> {
  const { identity } = caller
  if (idOrSlug === null || idOrSlug === identity.workspaceId || idOrSlug === identity.workspace) return caller
  if (identity.boundWorkspaceId !== null) throw unknownWorkspace()
  const { document } = await requireWorkspace(directory, identity.organisationId, idOrSlug)
  return {
    ...caller,
    identity: { ...identity, workspace: document.slug ?? '', workspaceId: document.id },
  }
}
