/** Mistral's moderation endpoint as a check. */
import type { GuardrailPlugin } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { moderateContent } from './moderate-content.ts'

const plugin: GuardrailPlugin = {
  name: 'mistral',
  title: 'Mistral moderation',
  checks: [moderateContent],
  settings: Type.Object(
    {
      apiKey: Type.Optional(
        Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'An API key of the platform.' }),
      ),
      baseUrl: Type.Optional(
        Type.String({ pattern: '^https?://', description: 'Instead of https://api.mistral.ai/v1.' }),
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
