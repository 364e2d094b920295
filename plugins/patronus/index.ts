/** Patronus AI: evaluators for the model's answers. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { custom } from './custom.ts'
import { evaluations } from './evaluations.ts'
import { phi } from './phi.ts'
import { pii } from './pii.ts'

const plugin: GuardrailPlugin = {
  name: 'patronus',
  title: 'Patronus AI',
  checks: [phi, pii, ...evaluations, custom],
  settings: Type.Object(
    {
      apiKey: secret('An API key of the account.'),
      baseUrl: address('Default: https://api.patronus.ai.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
