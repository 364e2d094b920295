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
      apiKey: secret('An API key of the account.'),
      baseUrl: address('Default: https://services.walled.ai. Set it for your own deployment.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
