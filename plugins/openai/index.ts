/** OpenAI's moderation endpoint as a check. */
import type { GuardrailPlugin } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { moderation } from './moderation.ts'

const plugin: GuardrailPlugin = {
  name: 'openai',
  title: 'OpenAI moderation',
  checks: [moderation],
  settings: Type.Object(
    {
      apiKey: Type.Optional(
        Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'An API key of the platform.' }),
      ),
      baseUrl: Type.Optional(
        Type.String({ pattern: '^https?://', description: 'Instead of https://api.openai.com/v1.' }),
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
