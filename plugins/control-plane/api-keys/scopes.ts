/** Scopes of API keys: which a class may have, and which a caller may give. Errors: `unknown_scope`, `forbidden`. */
import type { Identity, KeyClass } from '@gateway/contract'
import { classMayHold, equalScopes, expandScope, type Reach } from '@gateway/core/domain'
import type { Call } from '../engine/call.ts'
import { forbidden } from '../engine/errors.ts'
import type { Write } from '../engine/resource.ts'

/** The written scopes in their own spelling, wildcards expanded; a fault for each that the class may not have. */
export function readScopes(
  written: readonly string[],
  keyClass: KeyClass,
  fault: Write['fault'],
): { scope: string; index: number }[] {
  const seen = new Set<string>()
  return written.flatMap((one, index) => {
    const scopes = expandScope(one, keyClass)
    if (scopes === null) {
      fault(
        `/scopes/${index}`,
        `There is no scope "${one}" for a key of the class ${keyClass}.`,
        'unknown_scope',
      )
      return []
    }
    return scopes.filter((scope) => !seen.has(scope) && seen.add(scope)).map((scope) => ({ scope, index }))
  })
}

/** Throws `forbidden` for a scope that the caller does not hold where the key will be. */
export async function checkGrant(
  call: Call,
  scopes: readonly { scope: string; index: number }[],
  workspaceId: string | null,
): Promise<void> {
  for (const { scope, index } of scopes) {
    if (isBeyondClass(call.identity, scope)) continue
    const reach: Reach | null = await call.reach(scope, workspaceId)
    if (reach === null)
      throw forbidden(`You cannot give the scope ${scope}: you do not hold it.`, `/scopes/${index}`)
  }
}

/**
 * What no key of the organisation can hold at all, such as calling models, is given with the right to make keys: else
 * none of them could make a key that calls a model.
 */
const isBeyondClass = ({ type }: Identity, scope: string): boolean =>
  type === 'organisation-service' && equalScopes(scope).every((one) => !classMayHold(one, type))
