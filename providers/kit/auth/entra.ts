/**
 * Access tokens of Microsoft Entra ID: cached until shortly before they expire, and renewed once for any number of
 * waiting calls. Addresses come only from this code and the process's environment (`AZURE_AUTHORITY_HOST`,
 * `IDENTITY_ENDPOINT`).
 * Reference: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * Errors: {@link UpstreamFault} 401 for a refused credential; `dependency_unavailable` when the service cannot be
 * reached, or the environment lacks a variable for the identity.
 */
import { readFile } from 'node:fs/promises'
import { GatewayError, type ProviderIo } from '@gateway/contract'
import { awsAssertion } from './azure-federation.ts'
import {
  type AzureEnvironment,
  type AzureIdentity,
  assertionRequest,
  clientRequest,
  managedRequest,
  type WorkloadIdentity,
} from './azure-identities.ts'
import { readAzureToken } from './azure-token.ts'
import { createTokenCache, type Expiring } from './token-cache.ts'

export interface EntraOptions {
  /** Default: the environment of the process. */
  environment?: AzureEnvironment
  /** Reads the file with a workload's signed token. */
  readText?: (path: string) => Promise<string>
}

export interface Entra {
  /** A token of this identity for this scope, such as `https://cognitiveservices.azure.com/.default`. */
  token(identity: AzureIdentity, scope: string, io: ProviderIo): Promise<string>
}

/** Creates a source of tokens with its own cache. */
export function createEntra(options: EntraOptions = {}): Entra {
  const environment = options.environment ?? process.env
  const readText = options.readText ?? ((path) => readFile(path, 'utf8'))
  const federatedAssertion = awsAssertion(environment, readText)
  const cache = createTokenCache<string>()

  async function renew(identity: AzureIdentity, scope: string, io: ProviderIo): Promise<Expiring<string>> {
    const ask = async () => {
      switch (identity.kind) {
        case 'client':
          return clientRequest(identity, scope, environment)
        case 'managed':
          return managedRequest(identity, scope, environment)
        case 'workload':
          return workloadRequest(identity, scope)
        case 'federated':
          return assertionRequest(identity, await federatedAssertion(io), { scope, environment })
      }
    }
    return readAzureToken(await io.fetch(await ask()), io.now())
  }

  async function workloadRequest(identity: WorkloadIdentity, scope: string) {
    const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_FEDERATED_TOKEN_FILE: path } = environment
    const tenantId = identity.tenantId ?? AZURE_TENANT_ID
    const clientId = identity.clientId ?? AZURE_CLIENT_ID
    if (tenantId === undefined || clientId === undefined || path === undefined) {
      throw new GatewayError('dependency_unavailable', 'This machine has no Azure workload identity.')
    }
    const assertion = await readText(path).catch((cause: unknown) => {
      throw new GatewayError('dependency_unavailable', 'The workload identity cannot be read.', { cause })
    })
    return assertionRequest({ tenantId, clientId }, assertion.trim(), { scope, environment })
  }

  return {
    token: (identity, scope, io) => cache.get([identity, scope], io.now(), () => renew(identity, scope, io)),
  }
}
