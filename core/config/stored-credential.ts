/**
 * Builds the settings of a provider call from a stored credential: an integration, its provider (virtual key),
 * decrypted secrets, and values from secret managers (management contract, sections 11 and 12). Pure. Members common to
 * all providers become settings; the others stay in `configurations` under the adapter's names.
 */
import { isObject, type Json, type JsonObject, type ProviderSettings } from '@gateway/contract'
import type { IntegrationData } from '@gateway/domain'

/** Values of secret references, by `target_field`. */
export type MappedSecrets = ReadonlyMap<string, string | JsonObject>

/** The parts of a credential stored in clear. */
type CredentialData = Pick<IntegrationData, 'ai_provider_id' | 'configurations'>

/** The sealed parts of an integration. */
export interface OpenedCredential {
  key?: string
  configurations?: JsonObject
}

/** Headers of a stored credential. Lower-case names. */
export interface CredentialHeaders {
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>
  /** The caller's headers that are passed on with every call. */
  forwardHeaders: readonly string[]
}

/** Members of `configurations` that are settings of every provider, with the same meaning. */
export const settingMembers = [
  'custom_host',
  'compat_organization',
  'compat_project',
  'resource_name',
  'deployment_id',
  'api_version',
] as const

/** Members of `configurations` that control which headers are sent. */
const headerMembers = ['custom_headers', 'forward_headers'] as const

/** Placeholder for a value from a secret manager until a request needs it; never sent. */
export const mappedPlaceholder = 'kept-by-a-secret-manager'

/** The names of a member of `configurations` in mappings; virtual keys use `model_config`. */
const memberTarget = /^(?:configurations|model_config)\.(.+)$/s

/** The settings of a provider call. A mapped field overrides a stored one. */
export function credentialOf(
  { data }: { data: CredentialData },
  opened: OpenedCredential,
  mapped: MappedSecrets,
): ProviderSettings {
  const key = mapped.get('key') ?? opened.key
  return settingsFrom(data.ai_provider_id, typeof key === 'string' ? key : null, {
    ...configurationsOf(data, opened),
    ...mappedMembers(mapped),
  })
}

/** The same as {@link credentialOf} for a credential that is not stored yet. */
export function settingsFrom(
  provider: string,
  key: string | null,
  configurations: JsonObject,
): ProviderSettings {
  const settings: ProviderSettings = { provider }
  if (key !== null && key !== '') settings.api_key = key
  const rest: JsonObject = {}
  for (const [name, value] of Object.entries(configurations)) {
    if (value === undefined || value === null || isHeaderMember(name)) continue
    if (isSettingMember(name)) {
      if (typeof value === 'string') settings[name] = value
    } else rest[name] = value
  }
  // Any member may select the gateway's own cloud identity; without members it is never used.
  if (Object.keys(rest).length > 0) settings.configurations = rest
  return settings
}

/** The headers sent with its calls. A mapped field overrides a stored one. */
export function headersOf(
  { data }: { data: CredentialData },
  opened: OpenedCredential,
  mapped: MappedSecrets = new Map(),
): CredentialHeaders {
  const { custom_headers, forward_headers } = { ...configurationsOf(data, opened), ...mappedMembers(mapped) }
  return {
    headers: isObject(custom_headers) ? lowerCased(custom_headers) : {},
    forwardHeaders: Array.isArray(forward_headers)
      ? forward_headers.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : []))
      : [],
  }
}

/** The member of `configurations` that a mapping fills; null when it fills another field. */
export const mappedMember = (targetField: string): string | null =>
  memberTarget.exec(targetField)?.[1] ?? null

export const isSettingMember = (name: string): name is (typeof settingMembers)[number] =>
  settingMembers.some((member) => member === name)

export const isHeaderMember = (name: string): boolean => headerMembers.some((member) => member === name)

/** All members, including the sealed ones. */
function configurationsOf(stored: CredentialData, opened: OpenedCredential): JsonObject {
  return { ...stored.configurations, ...opened.configurations }
}

function mappedMembers(mapped: MappedSecrets): JsonObject {
  return Object.fromEntries(
    [...mapped].flatMap(([target, value]): [string, Json][] => {
      const member = mappedMember(target)
      return member === null ? [] : [[member, value]]
    }),
  )
}

function lowerCased(headers: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  )
}
