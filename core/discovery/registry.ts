/** The kinds of packages, their errors, and the providers that need no credential. */
import type { ProviderAdapter } from '@gateway/contract'
import type { PackageKind } from '@gateway/flow'

export const packageKinds = [
  'provider',
  'guardrail',
  'store',
  'dialect',
  'service',
  'secret-manager',
] as const satisfies readonly PackageKind[]

export const isPackageKind = (kind: unknown): kind is PackageKind =>
  packageKinds.some((known) => known === kind)

/** An error of a package: its name, its path and the message. */
export interface DiscoveryFault {
  package: string
  path: string
  message: string
  /** The name in `plugins.packages`; null for a package that no config file names. */
  named: string | null
}

/** Names of the providers that need no credential, except those that authenticate with the process's own identity. */
export const keylessNames = (providers: Iterable<ProviderAdapter>): string[] =>
  [...providers].flatMap(({ name, credential, ownIdentity }) =>
    credential === 'required' || ownIdentity !== undefined ? [] : [name],
  )
