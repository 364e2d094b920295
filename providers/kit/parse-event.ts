/** The data of one stream event. Errors: `upstream_invalid_response` when it is not a JSON object. */
import { GatewayError, isObject, type JsonObject } from '@gateway/core/contract'

/** Reads an event's data as a JSON object. */
export function parseEvent(data: string): JsonObject {
  const value = parse(data)
  if (isObject(value)) return value
  throw new GatewayError('upstream_invalid_response', 'The provider sent an event that cannot be read.')
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return null
  }
}
