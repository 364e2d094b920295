/** What a breaker watches, and in which workspaces it is used. */
import type { BreakerSubject } from '../../flow/breaker.ts'

/** More workspaces than anybody shares one credential with are not kept. */
const maxWorkspaces = 100

/** One target for all who use it. */
export function joinSubjects(known: BreakerSubject | null, other: BreakerSubject): BreakerSubject {
  if (known === null) return other
  const isKnown = other.workspaceIds.every((id) => known.workspaceIds.includes(id))
  if (isKnown || known.workspaceIds.length >= maxWorkspaces) return known
  return { ...known, workspaceIds: [...new Set([...known.workspaceIds, ...other.workspaceIds])] }
}
