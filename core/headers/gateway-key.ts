/** The credential that a caller presents to the gateway in a header. */
import { bearerOf, type OwnHeaders } from './request-headers.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The first of the gateway's own header, a bearer token and `x-api-key`, of whatever kind; null when there is none. */
export function gatewayKeyOf(headers: Headers, own: OwnHeaders): string | null {
  const given = own.values.get('api-key')
  if (given !== undefined) return given
  const bearer = bearerOf(headers)
  if (bearer !== null) return bearer
  const bare = headers['x-api-key']
  return typeof bare === 'string' && bare.trim() !== '' ? bare.trim() : null
}
