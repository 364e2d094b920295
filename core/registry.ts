/** What was discovered, by name: the only way in which the core knows providers, checks, stores and services. */
import type {
  Check,
  GuardrailPlugin,
  ProviderAdapter,
  ServicePlugin,
  StoreAdapter,
} from './contract/index.ts'

/** Builds a provider from a row of `custom_providers`. */
export type CustomProviderFactory = (row: {
  name: string
  title?: string | undefined
  docs?: string | undefined
  base_url: string
  endpoints: readonly string[]
}) => ProviderAdapter

/** Where a part came from. */
export interface PackageInfo {
  kind: 'provider' | 'guardrail' | 'store' | 'service'
  /** The npm package's name. */
  name: string
  version: string
  directory: string
  /** What it brings: provider names, check ids, URL schemes, routes. */
  provides: readonly string[]
}

export interface Registry {
  packages: readonly PackageInfo[]
  providers: ReadonlyMap<string, ProviderAdapter>
  /** By `plugin.check`. */
  checks: ReadonlyMap<string, { plugin: GuardrailPlugin; check: Check }>
  /** By URL scheme, such as `redis:`. */
  stores: ReadonlyMap<string, StoreAdapter>
  services: readonly ServicePlugin[]
  /** Null when no discovered package makes providers from rows. */
  customProvider: CustomProviderFactory | null
  /** Providers that need no credential. */
  keyless: readonly string[]
}

/** A fault of a package: which, where, what. */
export interface DiscoveryFault {
  package: string
  path: string
  message: string
}
