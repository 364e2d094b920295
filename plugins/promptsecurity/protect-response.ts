/** `promptsecurity.protectResponse`: the tenant's policies check the model's answer. See protect.ts. */
import type { Check } from '@gateway/contract'
import { type Parameters, parameters } from './parameters.ts'
import { prepareProtection } from './protect.ts'

export const protectResponse: Check<Parameters> = {
  id: 'protectResponse',
  title: 'Protect response',
  description:
    'Fails when the tenant’s policies block the answer, or cannot rewrite it. What they rewrite is rewritten. ' +
    'Denies unless the hook says otherwise. Only the texts of the answer are sent to the vendor.',
  kind: 'guardrail',
  phases: ['after'],
  deny: true,
  parameters,
  prepare: (own, settings) => prepareProtection('response', own, settings),
}
