/** Errors in the format of SCIM: https://www.rfc-editor.org/rfc/rfc7644#section-3.12 */
import { type ErrorCode, GatewayError, type JsonObject } from '@gateway/contract'

export const scimJson = 'application/scim+json'
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The SCIM error type in addition to the status. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** An error with a SCIM type; outside of SCIM it is an ordinary error. */
class ScimError extends GatewayError {
  readonly scimType: ScimType

  constructor(code: ErrorCode, scimType: ScimType, message: string) {
    super(code, message)
    this.scimType = scimType
  }
}

/** An invalid request. */
export const invalid = (scimType: ScimType, message: string): GatewayError =>
  new ScimError('invalid_body', scimType, message)

/** A value that another user or group already has. */
export const notUnique = (message: string): GatewayError => new ScimError('conflict', 'uniqueness', message)

/** SCIM types that follow from the error code. */
const typeOfCode: Partial<Record<ErrorCode, ScimType>> = {
  invalid_json: 'invalidSyntax',
  invalid_body: 'invalidSyntax',
  invalid_query: 'invalidValue',
}

export function renderScimError(error: GatewayError): { contentType: string; body: JsonObject } {
  const scimType = error instanceof ScimError ? error.scimType : typeOfCode[error.code]
  return {
    contentType: scimJson,
    body: {
      schemas: [errorSchema],
      status: String(error.status),
      ...(scimType === undefined ? {} : { scimType }),
      detail: error.message,
    },
  }
}
