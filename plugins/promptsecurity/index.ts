/** Prompt Security: one check for prompts and one for answers. Both deny unless their hook says otherwise. */
import type { GuardrailPlugin } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { apiDomain, apiKey } from './parameters.ts'
import { protectPrompt } from './protect-prompt.ts'
import { protectResponse } from './protect-response.ts'

const plugin: GuardrailPlugin = {
  name: 'promptsecurity',
  title: 'Prompt Security',
  checks: [protectPrompt, protectResponse],
  settings: Type.Object(
    {
      apiDomain: Type.Optional(apiDomain('The domain of the tenant’s API, such as eu.prompt.security.')),
      apiKey: Type.Optional(apiKey('The id of the application, which is its key as well.')),
      baseUrl: Type.Optional(
        Type.String({ pattern: '^https?://', description: 'Instead of https:// and the domain.' }),
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
