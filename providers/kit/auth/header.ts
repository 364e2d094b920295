/** The credential in a header of the vendor's own, such as `x-api-key`. */
import { type Auth, type AuthOptions, addHeaders, credentialOf } from './credential.ts'

export interface HeaderOptions extends AuthOptions {
  /** The header's name; it is sent in lower case. */
  name: string
}

/** The credential as the value of one header. */
export function header(options: HeaderOptions): Auth {
  return function headerAuth(request, settings) {
    const key = credentialOf(settings) ?? undefined
    return addHeaders(request, options.headers?.(settings), { [options.name]: key })
  }
}
