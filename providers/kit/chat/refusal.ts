/** Refuses what a provider does not support: 400 `invalid_body` with the path and the provider's name. */
import { GatewayError } from '@gateway/contract'

/** The error for a part of the body that would lose its meaning. */
export function refusal(provider: string, param: string, reason: string): GatewayError {
  return new GatewayError('invalid_body', `${param}: ${reason} (provider ${provider})`, { param })
}
