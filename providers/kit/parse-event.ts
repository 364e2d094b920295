/** The data of one stream event. Errors: `upstream_invalid_response` when it is not a JSON object. */
import { GatewayError, type JsonObject } from '@gateway/contract'
import { parseObject } from './chat/values.ts'

/** Reads an event's data as a JSON object. */
export function parseEvent(data: string): JsonObject {
  const value = parseObject(data)
  if (value !== null) return value
  throw new GatewayError('upstream_invalid_response', 'The provider sent an event that cannot be parsed.')
}
