/** SCIM data: tokens of identity providers, their groups, and the groups' roles in workspaces. */
import type { WorkspaceRole } from './people.ts'

/** Status `active` or `archived`. Key: `hash:HEX` of the token. */
export type ScimTokenData = {
  /** SHA-256 in hex. */
  token_hash: string
  /** The first and last characters of the token. */
  first: string
  last: string
  /** ISO 8601. */
  expires_at: string | null
}

/** Key: the display name within the organisation. Attributes: `display_name` (lower case), `external_id`. */
export type ScimGroupData = {
  display_name: string
  external_id: string | null
  /** Whether an identity provider created it. A group created by a mapping is adopted by its display name. */
  is_adopted: boolean
}

/** Attributes: `group_id`, `user_id`. */
export type ScimGroupMemberData = { group_id: string; user_id: string }

/** Key: the pair of group and workspace. Attributes: `group_id`, `workspace`, `role`. */
export type ScimMappingData = {
  group_id: string
  workspace_id: string
  role: WorkspaceRole
  /** Whether it was derived from the group's name. */
  is_by_name: boolean
}
