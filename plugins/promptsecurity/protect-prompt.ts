/** `promptsecurity.protectPrompt`: the tenant's policies check the prompt. See protect.ts. */
import type { Check } from '@gateway/contract'
import { type Parameters, parameters } from './parameters.ts'
import { prepareProtection } from './protect.ts'

export const protectPrompt: Check<Parameters> = {
  id: 'protectPrompt',
  title: 'Protect prompt',
  description:
    'Fails when the tenant’s policies block the prompt, or cannot rewrite it. What they rewrite is rewritten. ' +
    'Denies unless the hook says otherwise. Only the texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before'],
  deny: true,
  parameters,
  prepare: (own, settings) => prepareProtection('prompt', own, settings),
}
