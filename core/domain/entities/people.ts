/** People: users, their memberships and invites, their sessions. */
import type { JsonObject, OrganisationRole } from '@gateway/contract'

export type WorkspaceRole = 'admin' | 'manager' | 'member'

/**
 * Status `active`, `deactivated` or `archived`. Key: `email:ADDRESS`, lower-case. Attributes: `role`, `email`, and what
 * SCIM finds users by: `user_name`, `display_name`, `external_id`, `emails`, `emails.TYPE`.
 */
export type UserData = {
  email: string
  first_name: string
  last_name: string | null
  role: OrganisationRole
  /** scrypt; null without a password. */
  password_hash: string | null
  last_login_at: string | null
  /** The second factor: its secret sealed, recovery codes as SHA-256 in hex. */
  totp?: { sealed: string; is_confirmed: boolean; recovery_hashes: string[] } | null
  /** The user's identity at the identity provider, set at the first sign-in there. */
  identity_provider?: { issuer: string; subject: string } | null
  /** Whether the user is managed by SCIM. */
  scim_managed?: boolean
  /** Other attributes from the identity provider. */
  scim?: JsonObject | null
}

/** One user in one workspace. Key: `member:WORKSPACE/USER`. Attributes: `user_id`. Archived when its workspace is. */
export type MemberData = {
  user_id: string
  role: WorkspaceRole
  /** The name of the SCIM group that gave the role. */
  source_group: string | null
  source_group_id?: string | null
  /** The manually assigned role, used when no group assigns one, or null. */
  own_role?: WorkspaceRole | null
}

/** Status `pending`, `accepted`, `expired` or `cancelled`. Keys while it is pending: `hash:HEX` of its token, and its address. */
export type InviteData = {
  email: string
  role: OrganisationRole
  workspaces: { id: string; role: WorkspaceRole }[]
  workspace_api_key_details: { name: string | null; scopes: string[] } | null
  token_hash: string
  /** ISO 8601. */
  expires_at: string
  accepted_at: string | null
  invited_by: string | null
}

/**
 * A sign-in. Key: `hash:HEX` of its token. Attributes: `user_id` or `api_key_id`; `idp_subject` and `idp_session` if an
 * identity provider signed the person in. An ended session has no keys.
 */
export type SessionData = {
  user_id: string | null
  /** The API key that signed in; the session has its rights. */
  api_key_id: string | null
  /** Sent in addition to the cookie; useless without it. */
  csrf_token: string
  /** ISO 8601. */
  expires_at: string
  ip: string
  user_agent: string | null
  /** The person's subject and session at the identity provider that signed them in. */
  identity_provider?: { issuer: string; subject: string; session: string | null } | null
}
