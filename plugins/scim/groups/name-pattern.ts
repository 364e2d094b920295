/** Groups whose names determine a role and a workspace: `ws-NAME-role-ROLE` (management contract, section 9). */
import { isObject, type JsonObject } from '@gateway/contract'
import { readRole } from '@gateway/control-plane/workspaces'
import type { OrganisationData, WorkspaceRole } from '@gateway/domain'

export interface ScimSettings {
  isPatternOn: boolean
  prefix: string
  separator: string
  /** Whether archived members are restored. */
  revives: boolean
}

export function scimSettings({ auth_settings }: Pick<OrganisationData, 'auth_settings'>): ScimSettings {
  const { scim_settings: written } = auth_settings
  const given: JsonObject = isObject(written) ? written : {}
  return {
    isPatternOn: given.pattern_mapping !== false,
    prefix: typeof given.workspace_prefix === 'string' ? given.workspace_prefix : 'ws-',
    separator: typeof given.role_separator === 'string' ? given.role_separator : '-role-',
    revives: given.group_based_user_provisioning === true,
  }
}

export interface NamedMapping {
  workspaceName: string
  role: WorkspaceRole
}

/** The mapping in a name. Null for a name of another form. */
export function readName(displayName: string, settings: ScimSettings): NamedMapping | null {
  const { isPatternOn, prefix, separator } = settings
  if (!isPatternOn || separator === '' || !displayName.startsWith(prefix)) return null
  const at = displayName.lastIndexOf(separator)
  if (at < prefix.length) return null
  const workspaceName = displayName.slice(prefix.length, at).trim()
  const role = readRole(displayName.slice(at + separator.length))
  return workspaceName === '' || role === null ? null : { workspaceName, role }
}
