/**
 * From a stored credential to the settings that a provider is called with: an integration, the provider (virtual key)
 * that stands for it, its opened secrets, and what secret managers keep of it (management contract, sections 11 and 12).
 * Pure. Members that every provider knows become settings; all others stay `configurations` in the adapter's own words.
 */
import { isObject, type Json, type JsonObject, type ProviderSettings } from '@gateway/contract'
import type { IntegrationData } from '../domain/index.ts'

/** What secret references stand for, by `target_field`. */
export type MappedSecrets = ReadonlyMap<string, string | JsonObject>

/** What is stored of a credential in clear. */
type CredentialData = Pick<IntegrationData, 'ai_provider_id' | 'configurations'>

/** What was sealed of an integration. */
export interface OpenedCredential {
  key?: string
  configurations?: JsonObject
}

/** Headers of a stored credential. Lower-case names. */
export interface CredentialHeaders {
  /** Sent with every call. */
  headers: Readonly<Record<string, string>>
  /** Of the caller's, passed on with every call. */
  forwardHeaders: readonly string[]
}

/** Members of `configurations` that are settings of every provider, and mean the same there. */
export const settingMembers = [
  'custom_host',
  'compat_organization',
  'compat_project',
  'resource_name',
  'deployment_id',
  'api_version',
] as const

/** Members of `configurations` that say which headers travel. */
const headerMembers = ['custom_headers', 'forward_headers'] as const

/** Stands in for what a secret manager keeps, until a request needs it; it is sent to nobody. */
export const mappedPlaceholder = 'kept-by-a-secret-manager'

/** How a mapping names a member of `configurations`; virtual keys say `model_config`. */
const memberTarget = /^(?:configurations|model_config)\.(.+)$/s

/** The settings that a provider is called with. A mapped field beats a stored one. */
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

/** The same for a credential that is not stored yet. */
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
  // Whatever stands there may lend an identity of the gateway's own; nothing there lends nothing.
  if (Object.keys(rest).length > 0) settings.configurations = rest
  return settings
}

/** Which headers travel with its calls. A mapped field beats a stored one. */
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

/** All members, the sealed ones too. */
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
