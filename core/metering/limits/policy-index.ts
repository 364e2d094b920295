/**
 * Indexes policies by the values in their conditions, so that a request is compared only with policies that may apply
 * to it: an organisation can have thousands.
 */
import type { Policy, PolicySubject } from '@gateway/flow'
import { policyNames } from './policy.ts'

/** Shorter lists are compared one by one. */
const leastIndexed = 16

type Candidates = (subject: PolicySubject) => readonly Policy[]

/** Lists of policies live as long as the settings, and are shared by the keys of a workspace. */
const indexes = new WeakMap<readonly Policy[], Candidates>()

/** The policies of a list that may apply to a request, in list order. */
export function policyCandidates(policies: readonly Policy[], subject: PolicySubject): readonly Policy[] {
  if (policies.length < leastIndexed) return policies
  const known = indexes.get(policies)
  if (known !== undefined) return known(subject)
  const made = createIndex(policies)
  indexes.set(policies, made)
  return made(subject)
}

function createIndex(policies: readonly Policy[]): Candidates {
  const always: number[] = []
  const byKey = new Map<string, Map<string, number[]>>()
  for (const [position, { needs }] of policies.entries()) {
    if (needs === null) {
      always.push(position)
      continue
    }
    const byValue = byKey.get(needs.key) ?? new Map<string, number[]>()
    byKey.set(needs.key, byValue)
    for (const value of new Set(needs.values)) byValue.set(value, [...(byValue.get(value) ?? []), position])
  }
  return (subject) => {
    const found = new Set(always)
    for (const [key, byValue] of byKey) {
      for (const name of policyNames(subject, key)) {
        if (name !== null) for (const position of byValue.get(name) ?? []) found.add(position)
      }
    }
    return [...found].sort((left, right) => left - right).flatMap((position) => policies[position] ?? [])
  }
}
