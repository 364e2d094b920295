/** The parameters of all checks. */
import { type Filled, secret, timeoutOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

export const common = {
  timeout: timeoutOf(15_000),
  apiKey: secret('Overrides plugins.settings.patronus.apiKey.'),
}

export const parameters = Type.Object(common, { additionalProperties: false })

export type Parameters = Filled<typeof parameters, 'timeout'>
