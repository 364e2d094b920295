/** The parameters that the checks share. */
import { type TString, Type } from '@sinclair/typebox'

/** What every check has. `apiVersion` differs. */
export const common = {
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 5000,
      description: 'Milliseconds until the verdict must be there.',
    }),
  ),
  resourceName: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]+$',
      description: 'Instead of plugins.settings.azure.resourceName; it needs an apiKey beside it.',
    }),
  ),
  apiKey: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]+$',
      description: 'Instead of the credential in plugins.settings.azure.',
    }),
  ),
}

export const scope = Type.Optional(
  Type.Unsafe<'all' | 'last'>({
    type: 'string',
    enum: ['all', 'last'],
    default: 'all',
    description: 'The whole conversation, or its last message alone. Of an answer, every choice.',
  }),
)

/** The version of the API that is called. */
export function apiVersion(version: string): TString {
  return Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(?:-preview)?$',
    default: version,
    description: 'The version of the API.',
  })
}
