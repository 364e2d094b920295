/** Walled AI: one check. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { walledprotect } from './walledprotect.ts'

const plugin: GuardrailPlugin = {
  name: 'walledai',
  title: 'Walled AI',
  checks: [walledprotect],
  settings: Type.Object(
    {
      apiKey: secret('A key of the account.'),
      baseUrl: address('Instead of https://services.walled.ai, such as that of one’s own deployment.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
