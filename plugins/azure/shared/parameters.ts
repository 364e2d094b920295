/** The parameters that the checks share. */
import { secret, timeoutOf } from '@gateway/plugin-kit'
import { type TString, Type } from '@sinclair/typebox'

/** Parameters common to all checks. `apiVersion` differs. */
export const common = {
  timeout: timeoutOf(5000),
  resourceName: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]+$',
      description: 'Overrides plugins.settings.azure.resourceName. Requires apiKey as well.',
    }),
  ),
  apiKey: secret('Overrides the credential in plugins.settings.azure.'),
}

/** The version of the API that is called. */
export function apiVersion(version: string): TString {
  return Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(?:-preview)?$',
    default: version,
    description: 'The version of the API.',
  })
}
