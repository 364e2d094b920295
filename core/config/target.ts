/** Resolves a provider's name and settings to a callable target. */
import { createHash } from 'node:crypto'
import type { Config } from '@gateway/config-file'
import type { Fault, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import { credentialKeys, secretsIn } from '@gateway/domain'
import type { HostRules, ResolvedTarget } from '@gateway/flow'
import { missingCredential, type SettingsPlace, withHeaders } from './missing-settings.ts'
import { checkOwnIdentity } from './own-identity.ts'

/** Secret keys: they are sent only to their own host and appear nowhere else. */
export const secretKeys = [
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
  // `configurations` may select the gateway's own cloud identity: a role, a managed identity.
  if (settings.configurations !== undefined) return true
  return secretKeys.some((key) => settings[key] !== undefined && settings[key] !== 'none')
}

/** The secrets in some settings, for redacting them from upstream messages. */
export function secretsOf(settings: ProviderSettings): string[] {
  const secrets: string[] = []
  for (const key of secretKeys) {
    const value = settings[key]
    if (typeof value === 'string' && value !== 'none') secrets.push(value)
    const privateKey = typeof value === 'object' ? value.private_key : undefined
    if (typeof privateKey === 'string') secrets.push(privateKey)
  }
  return [...secrets, ...secretsIn(settings.configurations ?? {})]
}

export interface TargetOptions {
  adapter: ProviderAdapter
  settings: ProviderSettings
  slug: string | null
  isStored: boolean
  /** The place where the target's host and credential were set, for errors. */
  param: string
  hosts: HostRules
  /** The place where the provider was specified, for messages about missing settings. Default: a stored credential. */
  place?: SettingsPlace
  /**
   * Whether to report missing settings as an error of the target at call time. Default: as an error of the compiled
   * config.
   */
  mayBeIncomplete?: boolean
}

/** Resolves a target; forbidden hosts and missing settings are errors. */
export function createTarget(options: TargetOptions, faults: Fault[]): ResolvedTarget | null {
  const { adapter, settings, slug, isStored, param, hosts } = options
  const refusal = customHostFault(options)
  const { baseUrl, missing } = refusal === null ? addressOf(options) : { baseUrl: null, missing: null }
  const lent =
    baseUrl === null ? null : checkOwnIdentity(adapter, settings, { url: baseUrl, hostRules: hosts })
  const fault = refusal ?? (lent === null ? (missing ?? credentialFault(options)) : notAllowed(param, lent))
  if (fault !== null && (fault.code === 'host_not_allowed' || options.mayBeIncomplete !== true)) {
    faults.push(fault)
    return null
  }
  const secret = createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 22)
  return {
    adapter,
    settings,
    baseUrl,
    slug,
    isStored,
    headers: {},
    forwardHeaders: [],
    identity: `${adapter.name}|${slug ?? ''}|${baseUrl ?? ''}|${secret}`,
    fault: fault === null ? null : { ...fault, code: 'invalid_config' },
  }
}

const notAllowed = (param: string, message: string): Fault => ({ param, code: 'host_not_allowed', message })

function customHostFault({ settings, param, hosts }: TargetOptions): Fault | null {
  if (settings.custom_host === undefined) return null
  const reason = hosts.checkUrl(settings.custom_host) ?? restOf(settings.custom_host)
  return reason === null ? null : notAllowed(param, reason)
}

function credentialFault({ adapter, settings, param, place = 'stored' }: TargetOptions): Fault | null {
  if (adapter.credential !== 'required' || hasSecret(settings) || settings.custom_host !== undefined)
    return null
  return { param, code: 'no_provider', message: missingCredential(adapter, place) }
}

/** The target's address, or the settings missing for it. */
function addressOf(options: TargetOptions): { baseUrl: string | null; missing: Fault | null } {
  const { adapter, settings, param, place = 'stored' } = options
  if (settings.custom_host !== undefined) return { baseUrl: trimSlashes(settings.custom_host), missing: null }
  const missing = (message: string, at = param): Fault => ({
    param: at,
    code: 'no_provider',
    message: withHeaders(message, place),
  })
  if (typeof adapter.baseUrl !== 'function') {
    const { baseUrl } = adapter
    if (!needsHost(adapter)) return { baseUrl, missing: null }
    const at = options.mayBeIncomplete === true ? param.replace(/[/]provider$/, '/custom_host') : param
    return {
      baseUrl,
      missing: missing(`The provider ${adapter.name} needs a custom_host: the base URL of your server.`, at),
    }
  }
  try {
    return { baseUrl: trimSlashes(adapter.baseUrl(settings)), missing: null }
  } catch (error) {
    return { baseUrl: null, missing: missing(error instanceof Error ? error.message : String(error)) }
  }
}

/** The reason why paths cannot be appended to a URL; null if they can. */
const restOf = (url: string): string | null => (/[?#]/.test(url) ? 'has a query or a fragment' : null)

/** A base URL without trailing slashes; a loop, because a regular expression would be quadratic. */
export function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end -= 1
  return url.slice(0, end)
}

/** Whether the provider requires a custom host; a provider without any HTTP endpoint does not. */
export const needsHost = (adapter: ProviderAdapter) =>
  adapter.baseUrl === null && Object.values(adapter.endpoints).some(({ kind }) => kind !== 'procedure')
