/** Aporia Guardrails: one check, which applies a project's policies. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { validateProject } from './validate-project.ts'

const plugin: GuardrailPlugin = {
  name: 'aporia',
  title: 'Aporia Guardrails',
  checks: [validateProject],
  settings: Type.Object(
    {
      apiKey: secret('The API key of the projects.'),
      baseUrl: address('Default: https://gr-prd.aporia.com. Set it for a trial account.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
