/**
 * Azure Key Vault: the current version of a secret, or one version: `NAME` or `NAME/VERSION`. A token for the gateway's
 * own identity is sent only to vaults of the service itself, and to addresses in `security.trusted_hosts`: a host
 * chosen by a caller could store it.
 * References: https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret,
 * https://learn.microsoft.com/azure/key-vault/general/authentication-requests-and-responses
 * Errors: `dependency_unavailable`.
 */
import {
  GatewayError,
  isObject,
  type JsonObject,
  type ProviderFetchAnswer,
  type ProviderIo,
  type SecretManager,
} from '@gateway/contract'
import { type AzureIdentity, createEntra, type EntraOptions } from '@gateway/provider-kit'
import { credentialFor, readObject, refused, unreadable } from './answers.ts'
import { address, authConfigOf, optionalText, settingOf } from './settings.ts'

export interface AzureKeyVaultOptions {
  /** Default: the process's environment. */
  environment?: NonNullable<EntraOptions['environment']>
}

const title = 'Azure Key Vault'
const apiVersion = '7.4'

/** The parent domains of vaults in the public and the sovereign clouds. */
const vaultDomains = ['vault.azure.net', 'vault.azure.cn', 'vault.usgovcloudapi.net'] as const
const [publicDomain] = vaultDomains

const authConfig = authConfigOf(
  'azure_auth_mode',
  {
    entra: ['azure_entra_tenant_id', 'azure_entra_client_id', 'azure_entra_client_secret'],
    managed: [],
    default: [],
  },
  {
    azure_vault_url: address(),
    azure_entra_tenant_id: optionalText(),
    azure_entra_client_id: optionalText(),
    azure_entra_client_secret: optionalText(),
    azure_managed_client_id: optionalText(),
  },
)

/** Creates the manager for a process environment. */
export function azureKeyVault({ environment = process.env }: AzureKeyVaultOptions = {}): SecretManager {
  const entra = createEntra({ environment })
  return {
    type: 'azure_kv',
    title,
    authConfig,
    secretFields: ['azure_entra_client_secret'],
    urlField: 'azure_vault_url',
    async fetch(settings, secretPath, io) {
      const path = pathOf(secretPath)
      // Whether no secret can have this name.
      if (path === null) return null
      const vault = new URL(settingOf(settings, 'azure_vault_url') ?? '')
      const domain = domainOf(vault, io)
      const identity = identityOf(settings, environment)
      const scope = `https://${domain}/.default`
      const token = await credentialFor(title, () => entra.token(identity, scope, io))
      const url = `${vault.origin}/secrets/${path}?api-version=${apiVersion}`
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
      return readSecret(await io.fetch({ method: 'GET', url, headers }))
    },
  }
}

/** The domain of the token. Refuses hosts that are not vaults. */
function domainOf(vault: URL, io: ProviderIo): string {
  const domain = vaultDomains.find((known) => vault.hostname.endsWith(`.${known}`))
  if (domain !== undefined && vault.protocol === 'https:') return domain
  if (io.isTrusted(vault.href)) return publicDomain
  throw new GatewayError(
    'dependency_unavailable',
    `${title}: azure_vault_url is neither an https address below ${vaultDomains.join(', ')} nor a trusted host.`,
  )
}

/**
 * `default` is the credential of the environment, in the order of the vendor's own default: client, workload, managed.
 */
function identityOf(
  settings: JsonObject,
  environment: Readonly<Record<string, string | undefined>>,
): AzureIdentity {
  const mode = settingOf(settings, 'azure_auth_mode')
  if (mode === 'managed') return { kind: 'managed', clientId: settingOf(settings, 'azure_managed_client_id') }
  if (mode === 'entra') {
    return {
      kind: 'client',
      tenantId: settingOf(settings, 'azure_entra_tenant_id') ?? '',
      clientId: settingOf(settings, 'azure_entra_client_id') ?? '',
      clientSecret: settingOf(settings, 'azure_entra_client_secret') ?? '',
    }
  }
  const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET, AZURE_FEDERATED_TOKEN_FILE } = environment
  if (AZURE_TENANT_ID && AZURE_CLIENT_ID && AZURE_CLIENT_SECRET) {
    return {
      kind: 'client',
      tenantId: AZURE_TENANT_ID,
      clientId: AZURE_CLIENT_ID,
      clientSecret: AZURE_CLIENT_SECRET,
    }
  }
  if (AZURE_FEDERATED_TOKEN_FILE) return { kind: 'workload', tenantId: null, clientId: null }
  return { kind: 'managed', clientId: AZURE_CLIENT_ID || null }
}

/** Parses `NAME` or `NAME/VERSION`, with or without `secrets/` before it; null for any other text. */
function pathOf(secretPath: string): string | null {
  const path = secretPath.replace(/^\/?(?:secrets\/)?/, '')
  return /^[0-9A-Za-z-]{1,127}(?:\/[0-9A-Za-z]{1,64})?$/.test(path) ? path : null
}

function readSecret(answer: ProviderFetchAnswer): string | null {
  const body = readObject(answer)
  if (answer.status === 200) {
    if (typeof body.value === 'string') return body.value
    throw unreadable(title)
  }
  const error = isObject(body.error) ? body.error : {}
  // A gateway in front of the vault may also answer 404; only the vault's code says that the secret is missing.
  if (answer.status === 404 && error.code === 'SecretNotFound') return null
  throw refused(title, answer.status, error.code)
}
