/** Messages of schema errors: Ajv's errors in plain words. */

import { mustBeOneOf, unknownKey } from '@gateway/domain'
import type { ErrorObject } from 'ajv'

const nounOf: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

const counted = (count: unknown, noun: string) => `${String(count)} ${noun}${count === 1 ? '' : 's'}`

const sizeMessage = (limit: unknown, noun: string, word: 'least' | 'most') =>
  word === 'least' && limit === 1
    ? 'must not be empty'
    : word === 'most' && limit === 0
      ? 'must be empty'
      : `must have at ${word} ${counted(limit, noun)}`

/** The types that a value may have: `a string, an array or null`. */
export function typesInWords(types: readonly unknown[]): string {
  const nouns = [...new Set(types)].map((type) => nounOf[String(type)] ?? String(type))
  const last = nouns.at(-1) ?? 'another type'
  return nouns.length < 2 ? last : `${nouns.slice(0, -1).join(', ')} or ${last}`
}

type Write = (error: ErrorObject) => string

const writers: Readonly<Record<string, Write>> = {
  required: () => 'is required',
  dependencies: ({ params }) => `is required with ${String(params.property)}`,
  additionalProperties: describeUnknownKey,
  enum: ({ params, data }) => mustBeOneOf(params.allowedValues as unknown[], data),
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  type: ({ params }) =>
    `must be ${typesInWords([params.type].flat().flatMap((type) => String(type).split(',')))}`,
  minItems: ({ params }) => sizeMessage(params.limit, 'item', 'least'),
  maxItems: ({ params }) => sizeMessage(params.limit, 'item', 'most'),
  minLength: ({ params }) => sizeMessage(params.limit, 'character', 'least'),
  maxLength: ({ params }) => sizeMessage(params.limit, 'character', 'most'),
  minProperties: ({ params }) => sizeMessage(params.limit, 'member', 'least'),
  maxProperties: ({ params }) => sizeMessage(params.limit, 'member', 'most'),
  minimum: ({ params }) => `must be at least ${String(params.limit)}`,
  maximum: ({ params }) => `must be at most ${String(params.limit)}`,
  exclusiveMinimum: ({ params }) => `must be greater than ${String(params.limit)}`,
  exclusiveMaximum: ({ params }) => `must be less than ${String(params.limit)}`,
  multipleOf: ({ params }) => `must be a multiple of ${String(params.multipleOf)}`,
  pattern: ({ params }) => `must match the pattern ${String(params.pattern)}`,
  format: ({ params }) => `must be a valid ${String(params.format)}`,
  uniqueItems: () => 'must not contain an item twice',
  contains: () => 'must contain at least one valid item',
  not: () => 'has a value that is not allowed',
  oneOf: () => 'must match exactly one of the allowed forms',
}

/** The message in plain words; for keywords without a text here, Ajv's message. */
export const schemaMessage: Write = (error) =>
  writers[error.keyword]?.(error) ?? error.message ?? 'is not valid'

function describeUnknownKey({ params, parentSchema }: ErrorObject): string {
  const { properties = {} } = (parentSchema ?? {}) as { properties?: Record<string, unknown> }
  return unknownKey(String(params.additionalProperty), Object.keys(properties))
}
