/** How invites are stored, linked to and shown (management contract, section 7). */

import { randomBytes } from 'node:crypto'
import { isGatewayError, type JsonObject, type ServiceContext, type StoredDocument } from '@gateway/contract'
import { hashKeyOf, type InviteData } from '@gateway/domain'
import { commitAsSystem, toIso } from '../engine/index.ts'
import { emailKey } from './people.ts'
import { sha256 } from './session-data.ts'

export type InviteDocument = StoredDocument<InviteData>

export const inviteMs = 7 * 86_400_000

/** A new token with its link. The link is shown once; only the token's hash is stored. */
export function createInviteToken(publicUrl: string): { hash: string; link: string } {
  const token = `gwi_${randomBytes(24).toString('base64url')}`
  return { hash: sha256(token), link: `${publicUrl}/console/accept-invite?token=${token}` }
}

/** The unique key that allows one pending invite per e-mail address. */
export const pendingKey = (email: string, organisationId: string | null) =>
  `${emailKey(email)}/${organisationId}`

/** A pending invite is found by its token and is the only one for its e-mail address. */
export function inviteKeys({ status, organisation_id, data }: Omit<InviteDocument, 'version'>): string[] {
  if (status !== 'pending') return []
  return [hashKeyOf(data.token_hash), pendingKey(data.email, organisation_id)]
}

/** The current status of an invite: it expires on time, even before the job records it. */
export const inviteStatus = (
  { status, data }: Pick<InviteDocument, 'status' | 'data'>,
  nowMs: number,
): string => (status === 'pending' && Date.parse(data.expires_at) <= nowMs ? 'expired' : status)

/** Records that an invite has expired, so that its e-mail address can be invited again. */
export async function expireInvite(
  context: ServiceContext<'documents' | 'now'>,
  { version, ...invite }: StoredDocument,
  nowMs: number,
): Promise<void> {
  const document = { ...invite, status: 'expired', keys: [], last_updated_at: nowMs }
  try {
    await commitAsSystem(context, invite.organisation_id ?? '', {
      writes: [{ op: 'put', expected: version, document }],
      note: { action: 'expire', resource_type: 'invite', resource_id: invite.id },
    })
  } catch (error) {
    // Accepted, cancelled or resent in the meantime.
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
  }
}

export function presentInvite(document: InviteDocument, nowMs: number): JsonObject {
  const { data } = document
  return {
    id: document.id,
    object: 'invite',
    email: data.email,
    role: data.role,
    workspaces: data.workspaces,
    workspace_api_key_details: data.workspace_api_key_details,
    status: inviteStatus(document, nowMs),
    invited_by: data.invited_by,
    created_at: toIso(document.created_at),
    expires_at: data.expires_at,
    accepted_at: data.accepted_at,
  }
}
