/** Zscaler AI Guard: one check, which runs a detection policy of your tenant. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { aiGuard } from './ai-guard.ts'

const plugin: GuardrailPlugin = {
  name: 'zscaler',
  title: 'Zscaler AI Guard',
  checks: [aiGuard],
  settings: Type.Object(
    {
      apiKey: secret('The key of an AI Guard application.'),
      cloud: Type.Optional(
        Type.String({ pattern: '^[a-z0-9-]+$', default: 'us1', description: 'The tenant’s cloud.' }),
      ),
      baseUrl: address('Overrides the address of the cloud.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
