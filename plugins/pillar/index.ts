/** Pillar Security: one scan for prompts, one for answers. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { checks } from './scan.ts'

const plugin: GuardrailPlugin = {
  name: 'pillar',
  title: 'Pillar Security',
  checks,
  settings: Type.Object(
    {
      apiKey: secret('An API key of the account.'),
      baseUrl: address('Default: https://api.pillar.security/api/v1.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
