/** What the provider cannot express: 400 `invalid_body` with the path. */
import { GatewayError } from '@gateway/core/contract'
import type { Reader } from './types.ts'

/** The error for a part of the body that would lose its meaning. */
export function refuse(reader: Reader, param: string, reason: string): GatewayError {
  return new GatewayError('invalid_body', `${param}: ${reason} (provider ${reader.provider})`, { param })
}
