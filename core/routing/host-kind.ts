/** The kind of a target's host for traces, events and the management API, which never show the host itself. */
import type { HostKind, ResolvedTarget } from '@gateway/flow'

export function hostKindOf({ adapter, baseUrl, slug }: ResolvedTarget): HostKind {
  if (slug !== null) return 'stored'
  return baseUrl === adapter.baseUrl ? 'default' : 'custom'
}
