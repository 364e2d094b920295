/**
 * Settings that an operator sets once for all checks of the plugin, under `plugins.settings.{{name}}` of the config
 * file. A config file without the required members is refused as soon as it uses a check of the plugin.
 */
import { type Static, Type } from '@sinclair/typebox'

export const settings = Type.Object(
  {
    baseUrl: Type.String({ pattern: '^https?://', description: 'Address of the service.' }),
    // A name with key, token, secret or password is kept out of every log, answer and error.
    apiKey: Type.String({ minLength: 1, description: 'API key of the service.' }),
  },
  { additionalProperties: false },
)

export type Settings = Static<typeof settings>
