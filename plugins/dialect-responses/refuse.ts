/** Refuses members without an equivalent in chat completions: 400 `invalid_body` with the path in the caller's body. */
import { GatewayError } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'

/** The error for a part of the body that cannot be translated. */
export function refuse(context: DialectContext, param: string, reason: string): GatewayError {
  return new GatewayError('invalid_body', `${param}: ${reason} (provider ${context.provider})`, { param })
}
