/** Rules for a token's claims in addition to those for every token. */
import type { Json, JsonObject } from '@gateway/contract'
import { compileRule } from '../rule.ts'
import type { Accepted, Refused } from './token.ts'

interface ClaimValueRule {
  values: string | string[]
  matchType?: 'exact' | 'contains' | 'containsAll' | 'regex'
}

export interface ClaimRules {
  requiredClaims: readonly string[]
  claimValues: Readonly<Record<string, ClaimValueRule>>
  headerPayloadMatch: readonly string[]
}

type Test = (value: Json) => boolean

/**
 * Makes the function that returns the claim that breaks a rule, or null.
 * @throws Error that describes an invalid pattern
 */
export function createClaimTest(rules: ClaimRules): (token: Accepted) => Refused | null {
  const tests = Object.entries(rules.claimValues).map(
    ([claim, rule]) => [claim, createTest(claim, rule)] as const,
  )
  return ({ claims, header }) => {
    const claimOf = (claim: string): Json | null =>
      Object.hasOwn(claims, claim) ? (claims[claim] ?? null) : null
    for (const claim of [...rules.requiredClaims, ...tests.map(([name]) => name)])
      if (claimOf(claim) === null) return { reason: 'jwt_claim_missing', claim }
    for (const [claim, test] of tests)
      if (!test(claimOf(claim))) return { reason: 'jwt_claim_mismatch', claim }
    for (const claim of rules.headerPayloadMatch) {
      const inHeader = Object.hasOwn(header, claim) ? (header[claim] ?? null) : null
      if (inHeader === null || JSON.stringify(inHeader) !== JSON.stringify(claimOf(claim)))
        return { reason: 'jwt_claim_mismatch', claim }
    }
    return null
  }
}

function createTest(claim: string, { values, matchType = 'exact' }: ClaimValueRule): Test {
  const wanted = Array.isArray(values) ? values : [values]
  if (wanted.length === 0) throw new Error(`claimValues/${claim} has no values`)
  if (matchType === 'exact')
    return (value) => {
      const items = itemsOf(claim, value)
      return items.length === 1 && wanted.includes(items[0] ?? '')
    }
  if (matchType === 'contains') return (value) => wanted.some((one) => contains(claim, value, one))
  if (matchType === 'containsAll') return (value) => wanted.every((one) => contains(claim, value, one))
  const patterns = wanted.map(compileRule)
  return (value) => itemsOf(claim, value).some((item) => patterns.some((pattern) => pattern.test(item)))
}

/** Claims with a list as a space-separated string (RFC 8693). */
const spacedLists = ['scope', 'scp']

/** The items of a list, or the single value. */
function itemsOf(claim: string, value: Json): string[] {
  if (Array.isArray(value)) return value.map(textOf)
  if (typeof value === 'string' && spacedLists.includes(claim))
    return value.split(' ').filter((item) => item !== '')
  return [textOf(value)]
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A list contains the value as an item, another text as a substring: "admin" is not in the list of "superadmin". */
function contains(claim: string, value: Json, wanted: string): boolean {
  const isList = Array.isArray(value) || spacedLists.includes(claim)
  return isList ? itemsOf(claim, value).includes(wanted) : textOf(value).includes(wanted)
}

/** A claim's text is returned up to this length. */
const maxToldChars = 200

/** The claims for the result, by prefixed name. */
export function toldClaims(
  claims: JsonObject,
  names: readonly string[],
  prefix: string,
): Record<string, string> {
  const told = names.flatMap((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : null
    if (value === undefined || value === null) return []
    const text = Array.isArray(value) ? value.map(textOf).join(',') : textOf(value)
    return [[`${prefix}${name}`, text.slice(0, maxToldChars)] as const]
  })
  return Object.fromEntries(told)
}
