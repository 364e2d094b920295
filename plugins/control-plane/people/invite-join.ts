/** The writes for an accepted invite: the invite is used up, and the user becomes a member of its workspaces. */
import type { DocumentDraft, DocumentWrite, ServiceContext, StoredDocument } from '@gateway/contract'
import { isOfKind, kinds, type OrganisationData, typedDocuments } from '@gateway/domain'
import { autoKeyWrites, type Joining, madeKey } from '../api-keys/index.ts'
import { memberDraft, memberKey } from '../workspaces/index.ts'
import type { InviteDocument } from './invite-data.ts'
import type { UserDocument } from './people.ts'

export function acceptedWrite({ version, ...invite }: InviteDocument, nowMs: number): DocumentWrite {
  return {
    op: 'put',
    expected: version,
    document: {
      ...invite,
      status: 'accepted',
      keys: [],
      last_updated_at: Math.max(nowMs, invite.last_updated_at),
      data: { ...invite.data, accepted_at: new Date(nowMs).toISOString() },
    },
  }
}

interface Joined {
  invite: InviteDocument
  organisation: StoredDocument<OrganisationData>
  user: Pick<DocumentDraft<UserDocument['data']>, 'id' | 'data'>
  nowMs: number
}

/** Memberships of the workspaces that still exist, with their keys. */
export async function joinWrites(
  context: ServiceContext<'documents' | 'fileDocuments' | 'keyPrefix' | 'sealer'>,
  { invite, organisation, user, nowMs }: Joined,
): Promise<DocumentWrite[]> {
  const documents = typedDocuments(context.documents)
  const { role, workspaces, workspace_api_key_details: details } = invite.data
  const writes: DocumentWrite[] = []
  for (const { id, role: workspaceRole } of workspaces) {
    const declared = context
      .fileDocuments()
      .filter((document) => isOfKind(document, kinds.workspace))
      .find((document) => document.id === id)
    const workspace = declared ?? (await documents.get(kinds.workspace, id))
    if (workspace === null || workspace.status !== 'active') continue
    // A user provisioned before the invite was accepted may already be a member.
    const present = await documents.findByKey(kinds.member, memberKey(workspace.id, user.id))
    if (present !== null) continue
    const membership = {
      organisationId: organisation.id,
      workspaceId: workspace.id,
      user: { id: user.id, data: user.data },
      nowMs,
    }
    const joining: Joining = { organisation, workspace, userId: user.id, role, workspaceRole, nowMs }
    writes.push(
      { op: 'put', document: memberDraft({ ...membership, role: workspaceRole }), expected: 0 },
      // The key that the invite requests replaces the automatic one.
      ...(details === null
        ? await autoKeyWrites(context, joining)
        : [madeKey(context, joining, { name: details.name ?? 'Default key', scopes: details.scopes })]),
    )
  }
  return writes
}
