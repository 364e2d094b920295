/** The parameters of both checks. */
import { type Filled, scope, secret, timeoutOf } from '@gateway/plugin-kit'
import { type TString, Type } from '@sinclair/typebox'

/** A host name, optionally with a port. */
export function apiDomain(description: string): TString {
  return Type.String({
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\\d{1,5})?$',
    description,
  })
}

export const parameters = Type.Object(
  {
    apiDomain: Type.Optional(
      apiDomain('Overrides plugins.settings.promptsecurity.apiDomain. One of the two is required.'),
    ),
    apiKey: secret(
      'Overrides plugins.settings.promptsecurity.apiKey. Required if the parameters set a domain.',
    ),
    timeout: timeoutOf(5000),
    scope,
  },
  { additionalProperties: false },
)

export type Parameters = Filled<typeof parameters, 'timeout' | 'scope'>
