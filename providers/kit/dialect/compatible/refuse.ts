/**
 * Refuses features that a compatible provider does not support and that cannot be dropped without changing the
 * answer.
 * Errors: `invalid_body` with the path and the provider's name.
 */
import { GatewayError, type Json, type JsonObject } from '@gateway/contract'

export interface RefusalRules {
  /** Fields that cannot be dropped without changing the meaning of a request. */
  refuses?: readonly string[]
  /** Fields with only one supported value: that value is dropped, others are refused. */
  only?: Readonly<Record<string, Json>>
}

/** Throws for the first field that cannot be sent. */
export function refuseFields(body: JsonObject, rules: RefusalRules, provider: string): void {
  const { refuses = [], only = {} } = rules
  for (const field of refuses) {
    const value = body[field]
    const isGiven = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
    if (isGiven) throw refusal(field, 'is not supported', provider)
  }
  for (const [field, value] of Object.entries(only)) {
    const given = body[field] ?? value
    if (given !== value) throw refusal(field, `can only be ${JSON.stringify(value)}`, provider)
  }
}

function refusal(field: string, reason: string, provider: string): GatewayError {
  const param = `/${field}`
  return new GatewayError('invalid_body', `${param}: ${reason} (provider ${provider})`, { param })
}
