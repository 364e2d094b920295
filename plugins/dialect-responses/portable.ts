/**
 * Converts a provider's own response with `store: false` to a form whose output can be sent back. The provider knows
 * none of its ids, and accepts reasoning only in encrypted form.
 */
import { isObject, type JsonObject } from '@gateway/contract'

const withoutId: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call'])

export function portableResponse(response: JsonObject): JsonObject {
  const output = Array.isArray(response.output) ? response.output.filter(isObject) : []
  return { ...response, output: output.filter(isPortable).map(portableItem) }
}

const isPortable = ({ type, encrypted_content: content }: JsonObject): boolean =>
  type !== 'reasoning' || (typeof content === 'string' && content !== '')

function portableItem(item: JsonObject): JsonObject {
  if (!withoutId.has(item.type)) return item
  const { id: _, ...rest } = item
  return rest
}
