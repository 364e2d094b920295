/** Parameters that several checks share, and types derived from parameter schemas. */
import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'

/** A choice of strings; the first is the default. */
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
    'Which texts of a chat request are checked: the whole conversation, or only its last message. ' +
      'In an answer, every choice is checked.',
  ),
)

export const caseSensitive = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether the comparison is case-sensitive.' }),
)

export type Scope = 'all' | 'last'

/** A check's parameters after defaults are applied. */
export type Filled<Schema extends TSchema> = Required<Static<Schema>>
