/** OpenAI's moderation endpoint as a check. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { moderation } from './moderation.ts'

const plugin: GuardrailPlugin = {
  name: 'openai',
  title: 'OpenAI moderation',
  checks: [moderation],
  settings: Type.Object(
    {
      apiKey: secret('An API key of the platform.'),
      baseUrl: address('Default: https://api.openai.com/v1.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
