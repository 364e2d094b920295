/**
 * The identity for a call to Azure and its token request: a client with a secret, a workload with a token signed by
 * its cluster, a machine's managed identity, or a machine in another cloud.
 * References: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow,
 * https://learn.microsoft.com/azure/aks/workload-identity-overview,
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token,
 * https://learn.microsoft.com/azure/app-service/overview-managed-identity
 */
import type { ProviderFetch } from '@gateway/contract'

/** The environment variables that specify an identity, or the service that issues its token. */
export type AzureEnvironment = Readonly<Record<string, string | undefined>>

export interface ClientIdentity {
  kind: 'client'
  tenantId: string
  clientId: string
  clientSecret: string
}

/** Missing settings come from the environment, as set by the cluster's webhook. */
export interface WorkloadIdentity {
  kind: 'workload'
  tenantId: string | null
  clientId: string | null
}

export interface ManagedIdentity {
  kind: 'managed'
  /** The client id of a user-assigned identity; null: the machine's own. */
  clientId: string | null
}

/** A machine in another cloud, whose signed identity Entra trusts. */
export interface FederatedIdentity {
  kind: 'federated'
  tenantId: string
  clientId: string
}

export type AzureIdentity = ClientIdentity | WorkloadIdentity | ManagedIdentity | FederatedIdentity

const publicAuthority = 'https://login.microsoftonline.com'
const metadataUrl = 'http://169.254.169.254/metadata/identity/oauth2/token'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The token request of a client with its secret. */
export function clientRequest(
  { tenantId, clientId, clientSecret }: ClientIdentity,
  scope: string,
  environment: AzureEnvironment,
): ProviderFetch {
  return tokenRequest(tenantId, { client_id: clientId, client_secret: clientSecret, scope }, environment)
}

/** The token request of a client that authenticates with a signed assertion. */
export function assertionRequest(
  { tenantId, clientId }: { tenantId: string; clientId: string },
  assertion: string,
  { scope, environment }: { scope: string; environment: AzureEnvironment },
): ProviderFetch {
  const proof = { client_assertion_type: assertionType, client_assertion: assertion }
  return tokenRequest(tenantId, { client_id: clientId, ...proof, scope }, environment)
}

function tokenRequest(
  tenantId: string,
  fields: Readonly<Record<string, string>>,
  environment: AzureEnvironment,
): ProviderFetch {
  const authority = (environment.AZURE_AUTHORITY_HOST ?? publicAuthority).replace(/\/$/, '')
  return {
    method: 'POST',
    url: `${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...fields, grant_type: 'client_credentials' }).toString(),
    isAmbient: true,
  }
}

/** The token request of a managed identity: to the app service's endpoint if present, otherwise to the machine's. */
export function managedRequest(
  { clientId }: ManagedIdentity,
  scope: string,
  environment: AzureEnvironment,
): ProviderFetch {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: secret } = environment
  const isAppService = endpoint !== undefined && secret !== undefined
  const url = new URL(isAppService ? endpoint : metadataUrl)
  url.searchParams.set('api-version', isAppService ? '2019-08-01' : '2018-02-01')
  url.searchParams.set('resource', scope.replace(/\/\.default$/, ''))
  if (clientId !== null) url.searchParams.set('client_id', clientId)
  return {
    method: 'GET',
    url: url.href,
    headers: isAppService ? { 'x-identity-header': secret } : { metadata: 'true' },
    timeoutMs: 5000,
    isAmbient: true,
  }
}
