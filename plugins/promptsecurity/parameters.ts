/** The parameters of both checks. */
import { type Filled, scope, secret, timeoutOf } from '@gateway/plugin-kit'
import { type TString, Type } from '@sinclair/typebox'

/** A host's name, with its port where it has one. */
export function apiDomain(description: string): TString {
  return Type.String({
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\\d{1,5})?$',
    description,
  })
}

export const parameters = Type.Object(
  {
    apiDomain: Type.Optional(
      apiDomain('Instead of plugins.settings.promptsecurity.apiDomain; one of the two must be there.'),
    ),
    apiKey: secret(
      'Instead of plugins.settings.promptsecurity.apiKey. A domain of the parameters needs its own.',
    ),
    timeout: timeoutOf(5000),
    scope,
  },
  { additionalProperties: false },
)

export type Parameters = Filled<typeof parameters, 'timeout' | 'scope'>
