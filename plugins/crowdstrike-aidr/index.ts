/** CrowdStrike AIDR: one check, by the policy of a collector. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { guardChatCompletions } from './guard-chat-completions.ts'

const plugin: GuardrailPlugin = {
  name: 'crowdstrike-aidr',
  title: 'CrowdStrike AIDR',
  checks: [guardChatCompletions],
  settings: Type.Object(
    {
      apiKey: secret('The token of a collector.'),
      baseUrl: address('Default: https://api.crowdstrike.com/aidr/aiguard. Set it for another cloud region.'),
    },
    { additionalProperties: false },
  ),
}

export default plugin
