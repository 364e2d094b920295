/** No credential: a stored or given key is not sent. */
import { type Auth, type AuthOptions, addHeaders } from './credential.ts'

/** Sends no credential. */
export function none(options: AuthOptions = {}): Auth {
  return function noAuth(request, settings) {
    return addHeaders(request, options.headers?.(settings))
  }
}
