/** Building blocks for the schemas of `auth_config`, and readers of its members. */
import type { JsonObject } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'

/** One text of `auth_config`; null if it is not set. */
export function settingOf(authConfig: JsonObject, name: string): string | null {
  const value = authConfig[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export const optionalText = (maxLength = 2048) => Type.Optional(Type.String({ minLength: 1, maxLength }))

/** An http or https address; the host guard decides whether it may be called. */
export const address = () =>
  Type.String({ pattern: '^https?://[^\\s?#]+$', maxLength: 2048, explain: 'must be an http or https URL' })

/**
 * An `auth_config` whose kind of credential determines its other required members.
 * @param kindField the member with the kind
 * @param kinds its values, and the members that each requires
 */
export function authConfigOf(
  kindField: string,
  kinds: Readonly<Record<string, readonly string[]>>,
  members: Readonly<Record<string, TSchema>>,
): TSchema {
  return Type.Object(
    { [kindField]: Type.Unsafe<string>({ enum: Object.keys(kinds) }), ...members },
    {
      additionalProperties: false,
      allOf: Object.entries(kinds).map(([kind, required]) => ({
        if: { required: [kindField], properties: { [kindField]: { const: kind } } },
        then: { required: [...required] },
      })),
    },
  )
}
