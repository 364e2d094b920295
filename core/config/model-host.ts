/**
 * Hosts of single models of a stored credential. A person with the right to edit models may not know the credential's
 * secrets and cannot re-enter them, so a host on another origin receives none of them, only the model's own headers
 * (management contract, fine print: a secret is kept only while its destination is unchanged). The operator, who writes
 * the config file, knows the secrets.
 */
import type { ProviderSettings } from '@gateway/contract'
import { type IntegrationModel, splitSecrets } from '@gateway/domain'
import type { ResolvedTarget } from '@gateway/flow'
import { secretKeys } from './target.ts'

interface Filled {
  settings: ProviderSettings
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
}

interface AtModelHostOptions {
  own: IntegrationModel['configurations']
  isDeclared: boolean
}

/** A model's own host and headers for its calls. */
export function atModelHost(
  { baseUrl }: Pick<ResolvedTarget, 'baseUrl'>,
  { settings, headers }: Filled,
  { own, isDeclared }: AtModelHostOptions,
): Filled {
  if (own === null) return { settings, headers }
  const { custom_host: host, custom_headers = {} } = own
  const added = Object.fromEntries(
    Object.entries(custom_headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  if (host === undefined) return { settings, headers: { ...headers, ...added } }
  const isKept = isDeclared || isSameOrigin(host, baseUrl)
  const kept = isKept ? settings : withoutSecrets(settings)
  return { settings: { ...kept, custom_host: host }, headers: isKept ? { ...headers, ...added } : added }
}

function isSameOrigin(host: string, baseUrl: string | null): boolean {
  if (baseUrl === null || !URL.canParse(host) || !URL.canParse(baseUrl)) return false
  return new URL(host).origin === new URL(baseUrl).origin
}

/** `api_key: none` sends no credential. */
function withoutSecrets(settings: ProviderSettings): ProviderSettings {
  const open: ProviderSettings = { ...settings, api_key: 'none' }
  for (const key of secretKeys) if (key !== 'api_key') delete open[key]
  if (open.configurations !== undefined) open.configurations = splitSecrets(open.configurations).open
  return open
}
