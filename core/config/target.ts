/** From a provider's name and its settings to something that can be called. */
import { createHash } from 'node:crypto'
import {
  type Fault,
  GatewayError,
  isObject,
  type JsonObject,
  type ProviderAdapter,
  type ProviderSettings,
} from '@gateway/contract'
import { credentialKeys } from '../domain/credential-keys.ts'
import type { HostRules } from '../flow/compile-context.ts'
import type { ResolvedTarget } from '../flow/config-node.ts'
import { checkOwnIdentity } from './own-identity.ts'
import type { Config } from './schema.ts'

/** Keys that are secrets: they leave the gateway for their own host only, and appear nowhere else. */
const secretKeys = [
  'api_key',
  'cloudA_access_key_id',
  'cloudA_secret_access_key',
  'cloudA_session_token',
  'cloudC_service_account_json',
] as const satisfies readonly (keyof ProviderSettings)[]

/** The provider's keys of a config node, or of a stored credential. */
export function settingsOf(source: Partial<Config>, provider: string): ProviderSettings {
  const settings: ProviderSettings & Record<string, unknown> = { provider }
  for (const key of Object.keys(credentialKeys)) {
    const value = source[key as keyof typeof credentialKeys]
    if (value !== undefined) settings[key] = value
  }
  return settings
}

export function hasSecret(settings: ProviderSettings): boolean {
  // What stands in `configurations` may lend the gateway's own identity: a role, a managed identity.
  if (settings.configurations !== undefined) return true
  return secretKeys.some((key) => settings[key] !== undefined && settings[key] !== 'none')
}

/** The secret texts of some settings, for taking them out of what an upstream says. */
export function secretsOf(settings: ProviderSettings): string[] {
  const secrets: string[] = []
  for (const key of secretKeys) {
    const value = settings[key]
    if (typeof value === 'string' && value !== 'none') secrets.push(value)
    const privateKey = typeof value === 'object' ? value.private_key : undefined
    if (typeof privateKey === 'string') secrets.push(privateKey)
  }
  return [...secrets, ...secretTexts(settings.configurations ?? {})]
}

const secretName = /secret|token|key|password/i

/** The texts of members whose names say that they are secrets: of configurations, and of a plugin's settings. */
export function secretTexts(source: Readonly<JsonObject>): string[] {
  return Object.entries(source).flatMap(([key, value]) => {
    if (isObject(value)) return secretTexts(value)
    return typeof value === 'string' && secretName.test(key) ? [value] : []
  })
}

export interface TargetOptions {
  adapter: ProviderAdapter
  settings: ProviderSettings
  slug: string | null
  isStored: boolean
  /** Where the target's host and credential were given, for faults. */
  param: string
  hosts: HostRules
  /** A provider without an address of its own may get one from the request. Default: its absence is a fault. */
  isHostOptional?: boolean
}

/** Resolves a target; a base URL that is missing or refused is a fault. */
export function createTarget(options: TargetOptions, faults: Fault[]): ResolvedTarget | null {
  const { adapter, settings, slug, isStored, param } = options
  const baseUrl = baseUrlOf(options, faults)
  if (baseUrl === undefined) return null
  const reason = baseUrl === null ? null : checkOwnIdentity(adapter, settings, baseUrl, options.hosts)
  if (reason !== null) {
    faults.push({ param, code: 'host_not_allowed', message: reason })
    return null
  }
  const secret = createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22)
  if (adapter.credential === 'required' && !hasSecret(settings) && settings.custom_host === undefined) {
    const message = `The provider ${adapter.name} needs a credential.`
    faults.push({ param, code: 'no_provider', message })
    return null
  }
  return {
    adapter,
    settings,
    baseUrl,
    slug,
    isStored,
    headers: {},
    forwardHeaders: [],
    identity: `${adapter.name}|${slug ?? ''}|${baseUrl ?? ''}|${secret}`,
  }
}

function baseUrlOf(options: TargetOptions, faults: Fault[]): string | null | undefined {
  const { adapter, settings, param, hosts } = options
  if (settings.custom_host !== undefined) {
    const reason = hosts.checkUrl(settings.custom_host) ?? restOf(settings.custom_host)
    if (reason === null) return trimSlashes(settings.custom_host)
    faults.push({ param, code: 'host_not_allowed', message: reason })
    return undefined
  }
  if (typeof adapter.baseUrl !== 'function') {
    if (!needsHost(adapter) || options.isHostOptional === true) return adapter.baseUrl
    const message = `The provider ${adapter.name} needs a custom_host.`
    faults.push({ param, code: 'no_provider', message })
    return undefined
  }
  try {
    return trimSlashes(adapter.baseUrl(settings))
  } catch (error) {
    const message = error instanceof GatewayError || error instanceof Error ? error.message : String(error)
    faults.push({ param, code: 'no_provider', message })
    return undefined
  }
}

/** Why paths cannot stand behind a URL; null where they can. */
const restOf = (url: string): string | null => (/[?#]/.test(url) ? 'has a query or a fragment' : null)

/** A base URL without the slashes at its end; by hand, for a pattern would take for ever over many of them. */
export function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}

/** Whether only a custom host gives the provider's address; one without any HTTP endpoint needs none. */
export const needsHost = (adapter: ProviderAdapter) =>
  adapter.baseUrl === null && Object.values(adapter.endpoints).some(({ kind }) => kind !== 'procedure')
