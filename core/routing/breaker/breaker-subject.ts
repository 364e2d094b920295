/** The target of a breaker or of provider limits, and the workspaces that use it. */
import { firstOrganisationId } from '@gateway/domain'
import type { ResolvedTarget, Routed, TargetSubject } from '@gateway/flow'
import { hostKindOf } from '../host-kind.ts'

/** Maximum number of workspaces recorded per target. */
const maxWorkspaces = 100

/** The target of a request, and its workspace. */
export function subjectOf(
  { caller: { identity }, input: { body } }: Routed,
  target: ResolvedTarget,
): TargetSubject {
  const workspaceId = identity?.workspaceId ?? null
  return {
    provider: target.adapter.name,
    model: String(body.model ?? ''),
    virtualKey: target.slug,
    hostKind: hostKindOf(target),
    organisationId: identity?.organisationId ?? firstOrganisationId,
    workspaceIds: workspaceId === null ? [] : [workspaceId],
  }
}

/** One target, shared by all its users. */
export function joinSubjects(known: TargetSubject | null, other: TargetSubject): TargetSubject {
  if (known === null) return other
  const isKnown = other.workspaceIds.every((id) => known.workspaceIds.includes(id))
  if (isKnown || known.workspaceIds.length >= maxWorkspaces) return known
  return { ...known, workspaceIds: [...new Set([...known.workspaceIds, ...other.workspaceIds])] }
}
