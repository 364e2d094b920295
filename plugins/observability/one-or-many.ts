/** Bodies with one item or a list: errors of the I-th item of a list are at `/I/…`, those of a single item at `/…`. */
import { type Fault, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import type { Call } from '@gateway/control-plane/engine'
import type { TSchema } from '@sinclair/typebox'

export function oneOrMany(
  { validator }: ServiceContext<'validator'>,
  item: TSchema,
  list: TSchema,
): (body: unknown) => readonly Fault[] {
  const checkOne = validator(item, 'invalid_body')
  const checkMany = validator(list, 'invalid_body')
  return (body) => (Array.isArray(body) ? checkMany(body) : checkOne(body))
}

export function itemsOf({ sent: body }: Call): JsonObject[] {
  return (Array.isArray(body) ? body : [body]).filter(isObject)
}
