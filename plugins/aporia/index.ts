/** Aporia Guardrails: one check, which has a project's policies judge. */
import type { GuardrailPlugin } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { validateProject } from './validate-project.ts'

const plugin: GuardrailPlugin = {
  name: 'aporia',
  title: 'Aporia Guardrails',
  checks: [validateProject],
  settings: Type.Object(
    {
      apiKey: Type.Optional(
        Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'The API key of the projects.' }),
      ),
      baseUrl: Type.Optional(
        Type.String({
          pattern: '^https?://',
          description: 'Instead of https://gr-prd.aporia.com, such as that of a trial.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
