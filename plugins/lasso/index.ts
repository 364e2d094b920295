/** Lasso Security: one check, which has the deputies of the user's account classify a conversation. */
import type { GuardrailPlugin } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { classify } from './classify.ts'

const plugin: GuardrailPlugin = {
  name: 'lasso',
  title: 'Lasso Security',
  checks: [classify],
  settings: Type.Object(
    {
      apiKey: Type.Optional(
        Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'The key of the account.' }),
      ),
      baseUrl: Type.Optional(
        Type.String({ pattern: '^https?://', description: 'Instead of https://server.lasso.security.' }),
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
