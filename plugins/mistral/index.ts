/** Mistral's moderation endpoint as a check. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { moderateContent } from './moderate-content.ts'

const plugin: GuardrailPlugin = {
  name: 'mistral',
  title: 'Mistral moderation',
  checks: [moderateContent],
  settings: Type.Object(
    {
      apiKey: secret('An API key of the platform.'),
      baseUrl: address('Default: https://api.mistral.ai/v1.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
