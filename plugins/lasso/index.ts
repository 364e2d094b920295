/** Lasso Security: one check, in which the deputies of the user's account classify a conversation. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { classify } from './classify.ts'

const plugin: GuardrailPlugin = {
  name: 'lasso',
  title: 'Lasso Security',
  checks: [classify],
  settings: Type.Object(
    {
      apiKey: secret('The key of the account.'),
      baseUrl: address('Default: https://server.lasso.security.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
