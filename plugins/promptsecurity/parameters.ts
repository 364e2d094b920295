/** The parameters of both checks. */
import { type Static, type TString, Type } from '@sinclair/typebox'

/** A host's name, with its port where it has one. */
export function apiDomain(description: string): TString {
  return Type.String({
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\\d{1,5})?$',
    description,
  })
}

/** What can be sent in a header. */
export function apiKey(description: string): TString {
  return Type.String({ pattern: '^[\\x21-\\x7e]+$', description })
}

export const parameters = Type.Object(
  {
    apiDomain: Type.Optional(
      apiDomain('Instead of plugins.settings.promptsecurity.apiDomain; one of the two must be there.'),
    ),
    apiKey: Type.Optional(
      apiKey('Instead of plugins.settings.promptsecurity.apiKey. A domain of the parameters needs its own.'),
    ),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60_000,
        default: 5000,
        description: 'Milliseconds until the verdict must be there.',
      }),
    ),
    scope: Type.Optional(
      Type.Unsafe<'all' | 'last'>({
        type: 'string',
        enum: ['all', 'last'],
        default: 'all',
        description: 'The whole conversation, or its last message alone. Of an answer, every choice.',
      }),
    ),
  },
  { additionalProperties: false },
)

export type Parameters = Static<typeof parameters>
