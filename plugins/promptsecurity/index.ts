/** Prompt Security: one check for prompts and one for answers. Both deny by default. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { apiDomain } from './parameters.ts'
import { protectPrompt } from './protect-prompt.ts'
import { protectResponse } from './protect-response.ts'

const plugin: GuardrailPlugin = {
  name: 'promptsecurity',
  title: 'Prompt Security',
  checks: [protectPrompt, protectResponse],
  settings: Type.Object(
    {
      apiDomain: Type.Optional(apiDomain('The domain of the tenant’s API, such as eu.prompt.security.')),
      apiKey: secret('The id of the application, which is its key as well.'),
      baseUrl: address('Default: https:// followed by the domain.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
