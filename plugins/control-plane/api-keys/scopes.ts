/**
 * Scopes of API keys: those that a class may have, and those that a caller may grant. Errors: `unknown_scope`,
 * `forbidden`.
 */

import type { KeyClass } from '@gateway/contract'
import { expandScope, scopesOfClass, unknownName } from '@gateway/domain'
import { type Call, forbidden, type Write } from '../engine/index.ts'
import { lackedScope } from '../shared/index.ts'

/**
 * The requested scopes in their canonical spelling, wildcards expanded. Records an error for each that the class may
 * not have.
 */
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
        unknownName({ what: `scope of ${keyClass} keys`, written: one, known: scopesOfClass(keyClass) }),
        'unknown_scope',
      )
      return []
    }
    return scopes.filter((scope) => !seen.has(scope) && seen.add(scope)).map((scope) => ({ scope, index }))
  })
}

interface CheckGrantOptions {
  scopes: readonly { scope: string; index: number }[]
  workspaceId: string | null
}

/** Throws `forbidden` for a scope that the caller does not have in the key's workspace. */
export async function checkGrant(
  call: Call,
  keyClass: KeyClass,
  { scopes, workspaceId }: CheckGrantOptions,
): Promise<void> {
  const names = scopes.map(({ scope }) => scope)
  const lacked = await lackedScope(call, keyClass, { scopes: names, workspaceId })
  if (lacked === null) return
  const index = scopes.find(({ scope }) => scope === lacked)?.index ?? 0
  throw forbidden(`You cannot give the scope ${lacked} because you do not have it.`, `/scopes/${index}`)
}
