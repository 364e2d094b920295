/** Amazon Bedrock Guardrails: one check, which applies a guardrail of the user's account. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { credentialMembers } from './credentials.ts'
import { guard } from './guard.ts'

const plugin: GuardrailPlugin = {
  name: 'bedrock',
  title: 'Amazon Bedrock Guardrails',
  checks: [guard],
  settings: Type.Object(
    {
      ...credentialMembers,
      baseUrl: address('Default: https://bedrock-runtime.REGION.amazonaws.com. Set it for a VPC endpoint.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
