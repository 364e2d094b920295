/**
 * Who calls: the key from `x-gateway-api-key`, else `Authorization: Bearer`, else `x-api-key`.
 * Errors: 401 `missing_api_key`, `invalid_api_key`, `expired_api_key`.
 */
import { GatewayError } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import { bearerOf } from '../gateway-headers.ts'
import type { Next } from '../stage.ts'

export async function auth(exchange: Exchange, next: Next): Promise<void> {
  const { runtime, settings } = exchange
  const key = gatewayKeyOf(exchange)
  if (key === null) {
    throw new GatewayError(
      'missing_api_key',
      'Send a gateway key in x-gateway-api-key, or as a bearer token.',
    )
  }
  const found = runtime.adminKeys.find(key) ?? settings.keys.find(key)
  if (found === null) throw new GatewayError('invalid_api_key', 'The gateway key is not known.')
  if (found.expiresAt !== null && found.expiresAt <= Date.now()) {
    throw new GatewayError('expired_api_key', 'The gateway key has expired.')
  }
  exchange.identity = found.identity
  await next()
}

/** The key that the caller presents for the gateway, or null. */
export function gatewayKeyOf(exchange: Exchange): string | null {
  const { headers } = exchange.transport
  const own = exchange.own.values.get('api-key')
  if (own !== undefined) return own
  const bearer = bearerOf(headers)
  if (bearer !== null) return bearer
  const bare = headers['x-api-key']
  return typeof bare === 'string' && bare.trim() !== '' ? bare.trim() : null
}
