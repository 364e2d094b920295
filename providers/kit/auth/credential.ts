/** What the auth functions of this folder share: when a call carries a credential, and how headers are added. */
import type { ProviderAdapter, ProviderSettings, UpstreamRequest } from '@gateway/contract'

/** Adds what a vendor asks of every call to the final request. */
export type Auth = ProviderAdapter['auth']

/** Headers besides the credential; their names are lower-case, and undefined values are left out. */
export type ExtraHeaders = (settings: ProviderSettings) => Record<string, string | undefined>

export interface AuthOptions {
  /** What else every call carries, such as a version or an organisation. It beats forwarded headers. */
  headers?: ExtraHeaders
}

/** The credential to send, or null: `api_key: none` and an absent key send nothing. */
export function credentialOf(settings: ProviderSettings): string | null {
  const key = settings.api_key
  return key === undefined || key === '' || key === 'none' ? null : key
}

/** The same request with more headers, the last beating the first. */
export function addHeaders(
  request: UpstreamRequest,
  ...added: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): UpstreamRequest {
  // Name by name: what is added to a copy by spread gives every object a shape of its own, which is slow.
  const headers: Record<string, string> = {}
  for (const name in request.headers) headers[name] = request.headers[name] as string
  for (const some of added) {
    for (const name in some) {
      const value = some[name]
      if (value !== undefined) headers[name.toLowerCase()] = value
    }
  }
  return { ...request, headers }
}
