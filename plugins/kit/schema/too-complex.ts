/** Raised by schemas that exceed a bound, when they are compiled and when they validate a value. */
import { GatewayError } from '@gateway/contract'

/** Code `schema_too_complex`. */
export class SchemaTooComplexError extends GatewayError {
  constructor(message: string) {
    super('schema_too_complex', message)
  }
}
