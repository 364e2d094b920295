/** Acuvity: one check, whose detectors run at the vendor. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { scan } from './scan.ts'

const plugin: GuardrailPlugin = {
  name: 'acuvity',
  title: 'Acuvity',
  checks: [scan],
  settings: Type.Object(
    {
      apiKey: secret('An app token of the account.'),
      baseUrl: address('Overrides the apex URL in the token.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
