/** `Authorization: Bearer KEY`. */
import { type Auth, type AuthOptions, addHeaders, credentialOf } from './credential.ts'

/** The credential as a bearer token. */
export function bearer(options: AuthOptions = {}): Auth {
  return function bearerAuth(request, settings) {
    const key = credentialOf(settings)
    const authorization = key === null ? undefined : `Bearer ${key}`
    return addHeaders(request, options.headers?.(settings), { authorization })
  }
}
