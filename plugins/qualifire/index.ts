/** Qualifire: seven checks, one evaluation service. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { policy } from './policy.ts'
import { textChecks } from './text-checks.ts'
import { toolUseQuality } from './tool-use-quality.ts'

const plugin: GuardrailPlugin = {
  name: 'qualifire',
  title: 'Qualifire',
  checks: [...textChecks, toolUseQuality, policy],
  settings: Type.Object(
    {
      apiKey: secret('An API key of the account.'),
      baseUrl: address('Default: https://proxy.qualifire.ai.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
