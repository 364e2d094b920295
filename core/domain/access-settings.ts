/** Organisation settings that workspaces may override, their defaults, and the effective settings of a workspace. */

import { isObject, type Json, type JsonObject, ownMember } from '@gateway/contract'
import type { OrganisationData, WorkspaceData } from './entities/index.ts'

const guardedNames = ['Configs', 'Guardrails', 'VirtualKeys', 'Prompts'] as const
const both = (setting: string) => [`managers${setting}`, `members${setting}`]
const viewAndWrite = (name: string) => [...both(`View${name}`), ...both(`Write${name}`)]

/** Names of `security_settings` by their category in `workspace_overrides`; `''`: organisation only. */
const securityByCategory: Readonly<Record<string, readonly string[]>> = {
  integrations: ['managersWriteWsIntegrations'],
  mcp_integrations: ['managersWriteWsMcpIntegrations'],
  mcp_servers: ['managersWriteMcpServers'],
  data_visibility: both('ViewAllData'),
  logs: [...both('ViewLogs'), ...both('ViewLogMetadata')],
  analytics: both('ViewAnalytics'),
  api_keys: viewAndWrite('ApiKeys'),
  configs: viewAndWrite('Configs'),
  guardrails: viewAndWrite('Guardrails'),
  virtual_keys: viewAndWrite('VirtualKeys'),
  prompts: viewAndWrite('Prompts'),
  workspace_management: ['managersUpdateWs', 'managersWriteWsUsers'],
  data_plane: ['allow_config_override', 'block_inline_config'],
  '': ['organisationAdminsViewLogs', 'organisationAdminsViewLogMetadata'],
}

/** Settings outside `security_settings` that a workspace may override. */
const plainByCategory: Readonly<Record<string, readonly string[]>> = {
  user_api_keys: [
    'user_api_key_auto_create',
    'user_api_key_ttl',
    'user_api_key_rotation_period',
    'user_api_key_limit',
  ],
  export_settings: ['export_settings'],
}

/** Allowed values of `workspace_overrides`, in the contract's order. */
export const overrideCategories: readonly string[] = [
  ...['integrations', 'mcp_integrations', 'mcp_servers', 'data_visibility', 'logs', 'analytics', 'api_keys'],
  ...['configs', 'guardrails', 'virtual_keys', 'prompts', 'workspace_management', 'user_api_keys'],
  ...['data_plane', 'export_settings'],
]

const offByDefault: ReadonlySet<string> = new Set([
  'managersUpdateWs',
  'membersWriteApiKeys',
  ...guardedNames.map((name) => `membersWrite${name}`),
  'block_inline_config',
])

/** Every security setting with its default. */
export const securityDefaults: Readonly<Record<string, boolean>> = Object.fromEntries(
  Object.values(securityByCategory)
    .flat()
    .map((name) => [name, !offByDefault.has(name)]),
)

/** The category of a setting; null when no workspace may set it. */
export function categoryOf(setting: string): string | null {
  for (const table of [securityByCategory, plainByCategory]) {
    for (const [category, names] of Object.entries(table)) {
      if (category !== '' && names.includes(setting)) return category
    }
  }
  return null
}

/** An organisation's default `settings`. */
export const settingDefaults: JsonObject = {
  user_api_key_auto_create: false,
  default_workspace_user_api_key_auto_create: null,
  user_api_key_ttl: null,
  user_api_key_rotation_period: null,
  user_api_key_limit: null,
  session_settings: { max_session_ttl: null },
  security_settings: securityDefaults as Record<string, Json>,
  workspace_overrides: overrideCategories.slice(0, 5),
  export_settings: { deniedFields: [] },
  metadata_schema: { api_key: null, workspace: null },
  retention: null,
  allowed_ips: null,
}

/** An organisation's settings with defaults filled in. */
export function organisationSettings(organisation: Pick<OrganisationData, 'settings'> | null): JsonObject {
  return overlay(settingDefaults, organisation?.settings ?? {})
}

/** The effective settings of a workspace: its own, where the organisation allows overrides, over the organisation's. */
export function effectiveSettings(
  organisation: Pick<OrganisationData, 'settings'> | null,
  workspace: Pick<WorkspaceData, 'settings'> | null,
): JsonObject {
  const settings = organisationSettings(organisation)
  const allowed = settings.workspace_overrides
  const isAllowed = (name: string) => {
    const category = categoryOf(name)
    return category !== null && Array.isArray(allowed) && allowed.includes(category)
  }
  const { security_settings: security, ...plain } = workspace?.settings ?? {}
  const own: JsonObject = {}
  for (const [name, value] of Object.entries(plain)) if (isAllowed(name) && value !== null) own[name] = value
  if (isObject(security)) {
    own.security_settings = Object.fromEntries(
      Object.entries(security).filter(([name, value]) => isAllowed(name) && value !== null),
    )
  }
  return overlay(settings, own)
}

/** Reads one security setting from the result of {@link effectiveSettings}. */
export function settingReader(settings: JsonObject): (setting: string) => boolean {
  const security = isObject(settings.security_settings) ? settings.security_settings : {}
  return (setting) => {
    const value = security[setting]
    return typeof value === 'boolean' ? value : (securityDefaults[setting] ?? false)
  }
}

/** Settings objects are merged member by member; other values are replaced. */
function overlay(below: JsonObject, above: JsonObject): JsonObject {
  const laid: JsonObject = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const present = ownMember(laid, name)
    laid[name] = isObject(present) && isObject(value) ? { ...present, ...value } : value
  }
  return laid
}
