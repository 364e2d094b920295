/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
import { isObject, type Json } from '../json.ts'

/** Whether a schema meets the rules of `strict: true`: objects are closed and all their members are required. */
export function isStrict(schema: Json | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { properties, required } = schema
  if (schema.type === 'object' || isObject(properties)) {
    const names = Array.isArray(required) ? required : []
    const isClosed = schema.additionalProperties === false
    if (
      !isClosed ||
      !Object.keys(isObject(properties) ? properties : {}).every((name) => names.includes(name))
    )
      return false
  }
  const { enum: _, const: __, default: ___, examples: ____, ...members } = schema
  return Object.values(members).every(isStrict)
}
