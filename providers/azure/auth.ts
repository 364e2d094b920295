/**
 * The credential of a call to Azure: a token of the stored identity as a bearer token, otherwise the API key in the
 * service's header. A key that is itself an Entra access token (a JSON web token) is sent as a bearer token.
 * References: https://learn.microsoft.com/azure/ai-foundry/openai/reference#authentication,
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/managed-identity
 */
import type { ProviderSettings, UpstreamRequest } from '@gateway/contract'
import { type Auth, addHeaders, createEntra, credentialOf, type Entra } from '@gateway/provider-kit'
import { identityOf } from './identity.ts'
import { configuredText } from './settings.ts'

export interface AzureAuthOptions {
  /** The header of an API key in a call; `authorization` for a bearer token. */
  keyHeader(settings: ProviderSettings): 'api-key' | 'x-api-key' | 'authorization'
  /** The default OAuth scope of tokens. */
  scope(request: UpstreamRequest): string
}

/** Keys are hexadecimal or base64; a token has three base64url parts, and the first decodes to a JSON object. */
const accessToken = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/

const processEntra = createEntra()

/** Adds the credential; tokens come from this source. */
export function azureAuth(options: AzureAuthOptions, entra: Entra = processEntra): Auth {
  return async function azureCredential(request, settings, io) {
    const identity = identityOf(settings)
    if (identity !== null) {
      const scope =
        settings.cloudB_entra_scope ?? configuredText(settings, 'azure_entra_scope') ?? options.scope(request)
      const token = await entra.token(identity, scope, io)
      return addHeaders(request, { authorization: `Bearer ${token}` })
    }
    const key = credentialOf(settings)
    if (key === null) return request
    const name = accessToken.test(key) ? 'authorization' : options.keyHeader(settings)
    return addHeaders(request, { [name]: name === 'authorization' ? `Bearer ${key}` : key })
  }
}
