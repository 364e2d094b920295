/** The target of a breaker, and the workspaces that use it. */
import type { BreakerSubject } from '../../flow/breaker.ts'

/** Maximum number of workspaces recorded per target. */
const maxWorkspaces = 100

/** One target, shared by all its users. */
export function joinSubjects(known: BreakerSubject | null, other: BreakerSubject): BreakerSubject {
  if (known === null) return other
  const isKnown = other.workspaceIds.every((id) => known.workspaceIds.includes(id))
  if (isKnown || known.workspaceIds.length >= maxWorkspaces) return known
  return { ...known, workspaceIds: [...new Set([...known.workspaceIds, ...other.workspaceIds])] }
}
