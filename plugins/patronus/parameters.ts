/** The parameters that all the checks have. */
import { type Static, Type } from '@sinclair/typebox'

export const common = {
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 15_000,
      description: 'Milliseconds until the verdict must be there.',
    }),
  ),
  apiKey: Type.Optional(
    Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'Instead of plugins.settings.patronus.apiKey.' }),
  ),
}

export const parameters = Type.Object(common, { additionalProperties: false })

export type Parameters = Static<typeof parameters>
