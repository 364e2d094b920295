/**
 * The identity of a stored credential: `azure_auth_mode` and its keys. Only `configurations` can select a mode, so a
 * request can use the gateway's own identity only if a stored credential allows it.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import type { AzureIdentity } from '@gateway/provider-kit'
import { configuredText } from './settings.ts'

/** The modes of a stored credential; `default` is the API key. */
export const authModes = ['default', 'entra', 'entraFederated', 'managed', 'workload'] as const

/** The keys that a mode requires. */
export const requiredKeys = {
  entra: ['azure_entra_tenant_id', 'azure_entra_client_id', 'azure_entra_client_secret'],
  entraFederated: ['azure_entra_tenant_id', 'azure_entra_client_id'],
} as const

/**
 * The identity for calls; null for an API key.
 * Errors: `no_provider` for a mode whose keys are missing.
 */
export function identityOf(settings: ProviderSettings): AzureIdentity | null {
  const text = (name: string) => configuredText(settings, name)
  const tenantId = text('azure_entra_tenant_id')
  const clientId = text('azure_entra_client_id')
  const mode = text('azure_auth_mode') ?? 'default'
  switch (mode) {
    case 'default':
      return null
    case 'managed':
      return { kind: 'managed', clientId: text('azure_managed_client_id') }
    case 'workload':
      return { kind: 'workload', tenantId, clientId: text('azure_workload_client_id') ?? clientId }
    case 'entra': {
      const clientSecret = text('azure_entra_client_secret')
      if (tenantId !== null && clientId !== null && clientSecret !== null) {
        return { kind: 'client', tenantId, clientId, clientSecret }
      }
      break
    }
    case 'entraFederated':
      if (tenantId !== null && clientId !== null) return { kind: 'federated', tenantId, clientId }
  }
  throw new GatewayError('no_provider', incomplete(mode, text))
}

function incomplete(mode: string, text: (name: string) => string | null): string {
  if (mode !== 'entra' && mode !== 'entraFederated')
    return `Unknown azure_auth_mode "${mode.slice(0, 40)}": set one of ${authModes.join(', ')} in configurations.`
  const missing = requiredKeys[mode].filter((name) => text(name) === null)
  return `The azure_auth_mode "${mode}" also requires ${missing.join(' and ')} in configurations.`
}
