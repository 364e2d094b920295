/** JSON Schemas whose definitions each refer twice to the next one: 2^count ways lead to the last. */
import type { JsonObject } from '@gateway/contract'

export function doublingSchema(count: number, keyword: string, last: JsonObject): JsonObject {
  const $defs: JsonObject = { [`d${count}`]: last }
  for (let index = 0; index < count; index += 1) {
    const next = { $ref: `#/$defs/d${index + 1}` }
    $defs[`d${index}`] = { [keyword]: [next, next] }
  }
  return { $defs, $ref: '#/$defs/d0' }
}
