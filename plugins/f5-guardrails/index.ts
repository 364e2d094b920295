/** F5 AI Guardrails: one check, by the scanners of a project. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { scan } from './scan.ts'

const plugin: GuardrailPlugin = {
  name: 'f5-guardrails',
  title: 'F5 AI Guardrails',
  checks: [scan],
  settings: Type.Object(
    {
      apiKey: secret('A token of the account or of a project.'),
      calypsoUrl: address('Default: https://us1.calypsoai.app. Set it for another region.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
