/** Policies for rate limits and usage limits. Other folders import only this file. */
import { defineSubject } from '../engine/index.ts'
import { rateLimitPolicies } from './rate-limit-policies.ts'
import { usageLimitPolicies } from './usage-limit-policies.ts'
import { createUsageResets } from './usage-resets.ts'

export const policySubject = defineSubject({
  needs: ['counters'],
  resources: [rateLimitPolicies, usageLimitPolicies],
  jobs: [createUsageResets],
})
