/**
 * Discovered packages by name: the core's only access to providers, checks, stores, dialects, services and secret
 * managers.
 */
import type {
  Check,
  GuardrailPlugin,
  ProviderAdapter,
  SecretManager,
  ServicePlugin,
  StoreAdapter,
} from '@gateway/contract'
import type { DialectPlugin } from '@gateway/contract/dialect'

export type PackageKind = 'provider' | 'guardrail' | 'store' | 'dialect' | 'service' | 'secret-manager'

/** Builds a provider from a row of `custom_providers`. */
export type CustomProviderFactory = (row: {
  name: string
  title?: string | undefined
  docs?: string | undefined
  base_url: string
  endpoints: readonly string[]
}) => ProviderAdapter

/** The package that a part comes from. */
export interface PackageInfo {
  kind: PackageKind
  /** The npm package's name. */
  name: string
  version: string
  directory: string
  /** Path of its main module. */
  entry: string
  /** Its contributions: provider names, check ids, URL schemes, endpoint ids, services, types of secret managers. */
  provides: readonly string[]
}

export interface DisabledPlugin {
  name: string
  title: string
  version: string
}

export interface Registry {
  packages: readonly PackageInfo[]
  providers: ReadonlyMap<string, ProviderAdapter>
  /** Checks by `plugin.check`. */
  checks: ReadonlyMap<string, { plugin: GuardrailPlugin; check: Check }>
  /** Stores by URL scheme, such as `redis:`. */
  stores: ReadonlyMap<string, StoreAdapter>
  dialects: readonly DialectPlugin[]
  services: readonly ServicePlugin[]
  /** Secret managers by `manager_type`. */
  secretManagers: ReadonlyMap<string, SecretManager>
  /** Null when no discovered package builds providers from rows. */
  customProvider: CustomProviderFactory | null
  /** Names of packages and of their parts, which `plugins.disabled` can contain; also of those that it disables. */
  names: ReadonlySet<string>
  /** Guardrail plugins listed in `plugins.disabled`. */
  disabledPlugins: readonly DisabledPlugin[]
  /** Providers that need no credential. */
  keyless: readonly string[]
}
