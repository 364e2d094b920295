/** Refuses features that a chat completion cannot express, with 400 `invalid_body` and the path in the caller's body. */
import { GatewayError } from '../errors.ts'
import type { DialectContext } from './client-dialect.ts'

/** The context for translating a request, in addition to its body. */
export type Reader = Pick<DialectContext, 'provider' | 'parameters' | 'strict' | 'leftOut'>

/** The error for a part of the body that cannot be translated. */
export function refuse({ provider }: Pick<Reader, 'provider'>, param: string, reason: string): GatewayError {
  const message = `${param}: ${reason} (provider ${provider} is called with a chat completion)`
  return new GatewayError('invalid_body', message, { param })
}
