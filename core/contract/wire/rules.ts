/**
 * Building blocks for the request schemas. Cross-field rules are JSON Schema conditions too, so that one Ajv pass finds
 * every error. `explain` is the message for rules whose keyword message would be unclear.
 */
import { type TOptional, type TSchema, Type } from '@sinclair/typebox'

/** Refuses the value at its path with this message. */
export const refused = (explain: string) => ({ not: {}, explain })

/**
 * A condition: when the body matches `when`, these members must also match these schemas. It is evaluated only for
 * members that are present, because Ajv allocates an object for each failed comparison, also in a condition.
 */
export const rule = (when: object, members: Record<string, object>) => ({
  dependencies: Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      { if: when, then: { properties: { [name]: schema } } },
    ]),
  ),
})

/** Matches when the member is present and valid. */
export const given = (member: string, schema: object = {}) => ({
  required: [member],
  properties: { [member]: schema },
})

/** Matches this model, with or without a credential slug in front. */
export const givenModel = (name: string) => given('model', { type: 'string', pattern: `^(@[^/]+/)?${name}$` })

/** Matches when the member is absent or invalid. */
export const unless = (member: string, schema: object) => ({
  not: given(member, schema),
})

/**
 * The member that objects of a type must have, such as `function` of `{type: "function", function}`. Without a type, the
 * member says which type is meant; objects of other types pass.
 */
export const ofType = (type: string, schema: TSchema) => ({
  if: {
    anyOf: [
      given('type', { const: type }),
      { not: given('type', { not: { type: 'null' } }), ...given(type) },
    ],
  },
  then: { required: [type], properties: { [type]: schema } },
})

/** An object with a type, or with this member, which then implies the type. */
export const typedOr = (member: string) => ({
  if: { not: given(member) },
  then: { required: ['type'], properties: { type: { type: 'string', minLength: 1 } } },
})

/** An optional member that may also be null, as clients of the compatible format send it. */
export const optional = (schema: TSchema): TOptional<TSchema> =>
  Type.Optional(
    Array.isArray(schema.anyOf)
      ? Type.Unsafe({ ...schema, anyOf: [...schema.anyOf, { type: 'null' }] })
      : Type.Unsafe({ ...schema, type: [schema.type, 'null'] }),
  )

export const penalty = optional(Type.Number({ minimum: -2, maximum: 2 }))
export const seed = optional(Type.Integer())
export const temperature = optional(Type.Number({ minimum: 0, maximum: 2 }))
export const topP = optional(Type.Number({ minimum: 0, maximum: 1 }))
export const stop = optional(
  Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })], {
    explain: 'must be a string or an array of up to 4 strings',
  }),
)
export const choices = optional(Type.Integer({ minimum: 1, maximum: 128 }))
export const logitBias = optional(Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 })))
export const streamOptions = optional(
  Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
)

/** `stream_options` requires `stream: true`. */
export const streamOptionsNeedStream = rule(unless('stream', { const: true }), {
  stream_options: {
    anyOf: [{ type: 'null' }, refused('is allowed only with stream: true')],
    explain: 'is allowed only with stream: true',
  },
})
