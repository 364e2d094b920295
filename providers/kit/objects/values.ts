/** Values in calls about cloud objects, and in their answers. */
import { GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'

export const textOrNull = (value: Json | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** Errors: 400 `invalid_body` at its path. */
export function requiredText(value: Json | undefined, param: string): string {
  const text = textOrNull(value)
  if (text !== null) return text
  throw new GatewayError('invalid_body', `${param}: is required by this provider`, { param })
}

/** The hyperparameters of a fine-tuning job of any method. */
export function hyperparametersOf({ method, hyperparameters }: JsonObject): JsonObject {
  if (!isObject(method)) return isObject(hyperparameters) ? hyperparameters : {}
  const chosen = method[String(method.type)]
  return isObject(chosen) && isObject(chosen.hyperparameters) ? chosen.hyperparameters : {}
}
