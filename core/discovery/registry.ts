/** The kinds of packages, and what can be wrong with one. */
import type { PackageKind } from '../flow/registry.ts'

export const packageKinds = [
  'provider',
  'guardrail',
  'store',
  'service',
  'secret-manager',
] as const satisfies readonly PackageKind[]

export const isPackageKind = (kind: unknown): kind is PackageKind =>
  packageKinds.some((known) => known === kind)

/** A fault of a package: which, where, what. */
export interface DiscoveryFault {
  package: string
  path: string
  message: string
}
