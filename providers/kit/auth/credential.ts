/** The credential of a call, and its form: a bearer token, a header, part of the URL, or none. */
import type { ProviderAdapter, ProviderSettings, UpstreamRequest } from '@gateway/contract'

/** Adds the credential, and anything else that a vendor requires of every call, to the final request. */
export type Auth = ProviderAdapter['auth']

/** Headers in addition to the credential. Names are in lower case, and undefined values are left out. */
export type ExtraHeaders = (settings: ProviderSettings) => Record<string, string | undefined>

type SettingName = 'compat_organization' | 'compat_project'

export interface AuthOptions {
  /** Further headers of every call, such as a version or an organisation. They override forwarded headers. */
  headers?: ExtraHeaders
  /** Headers with the values of settings, by the settings' names. Settings without a value are left out. */
  settingHeaders?: Readonly<Record<string, SettingName>>
}

function extraHeaders(
  { headers, settingHeaders }: AuthOptions,
  settings: ProviderSettings,
): Record<string, string | undefined> | undefined {
  const added = headers?.(settings)
  if (settingHeaders === undefined) return added
  const all: Record<string, string | undefined> = added === undefined ? {} : { ...added }
  for (const name in settingHeaders) all[name] = settings[settingHeaders[name] as SettingName]
  return all
}

/** The credential to send, or null: nothing is sent for `api_key: none` or without a key. */
export function credentialOf(settings: ProviderSettings): string | null {
  const key = settings.api_key
  return key === undefined || key === '' || key === 'none' ? null : key
}

/** The same request with more headers; later ones override earlier ones. */
export function addHeaders(
  request: UpstreamRequest,
  ...added: readonly (Readonly<Record<string, string | undefined>> | undefined)[]
): UpstreamRequest {
  // Assigned one by one: adding members to a spread copy gives every object its own hidden class, which is slow.
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

/** The credential as a bearer token. */
export function bearer(options: AuthOptions = {}): Auth {
  return function bearerAuth(request, settings) {
    const key = credentialOf(settings)
    const authorization = key === null ? undefined : `Bearer ${key}`
    return addHeaders(request, extraHeaders(options, settings), { authorization })
  }
}

export interface HeaderOptions extends AuthOptions {
  /** The header's name; it is sent in lower case. */
  name: string
}

/** The credential in a vendor's own header, such as `x-api-key`. */
export function header(options: HeaderOptions): Auth {
  return function headerAuth(request, settings) {
    const key = credentialOf(settings) ?? undefined
    return addHeaders(request, extraHeaders(options, settings), { [options.name]: key })
  }
}

export interface QueryOptions extends AuthOptions {
  /** The parameter's name. */
  name: string
}

/** The credential as one query parameter, such as `?key=`; a parameter of that name in the URL is replaced. */
export function query(options: QueryOptions): Auth {
  return function queryAuth(request, settings) {
    const sent = addHeaders(request, extraHeaders(options, settings))
    const key = credentialOf(settings)
    if (key === null) return sent
    const url = new URL(sent.url)
    url.searchParams.set(options.name, key)
    return { ...sent, url: url.href }
  }
}

/** Sends no credential, even if one is stored or sent. */
export function none(options: AuthOptions = {}): Auth {
  return function noAuth(request, settings) {
    return addHeaders(request, extraHeaders(options, settings))
  }
}
