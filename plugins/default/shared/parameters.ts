/** The parameters that several checks share, and the types that follow from a parameter schema. */
import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'

/** One of these strings; the first is the default. */
export function choice<const Value extends string>(
  values: readonly [Value, ...Value[]],
  description: string,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ type: 'string', enum: values, default: values[0], description })
}

export const not = Type.Optional(Type.Boolean({ default: false, description: 'Inverts the verdict.' }))

export const scope = Type.Optional(
  choice(
    ['all', 'last'],
    'Which texts of a chat request are looked at: the whole conversation, or its last message alone. ' +
      'Of an answer, every choice always is.',
  ),
)

export const caseSensitive = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether upper and lower case are different letters.' }),
)

export type Scope = 'all' | 'last'

/** A check's parameters once the defaults stand in them. */
export type Filled<Schema extends TSchema> = Required<Static<Schema>>
