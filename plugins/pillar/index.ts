/** Pillar Security: a scan of the prompt and one of the answer. */
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
      apiKey: secret('A key of the account.'),
      baseUrl: address('Instead of https://api.pillar.security/api/v1.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
