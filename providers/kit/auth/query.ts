/** The credential in the URL, such as `?key=`. */
import { type Auth, type AuthOptions, addHeaders, credentialOf } from './credential.ts'

export interface QueryOptions extends AuthOptions {
  /** The parameter's name. */
  name: string
}

/** The credential as one query parameter; a parameter of that name in the URL is replaced. */
export function query(options: QueryOptions): Auth {
  return function queryAuth(request, settings) {
    const sent = addHeaders(request, options.headers?.(settings))
    const key = credentialOf(settings)
    if (key === null) return sent
    const url = new URL(sent.url)
    url.searchParams.set(options.name, key)
    return { ...sent, url: url.href }
  }
}
