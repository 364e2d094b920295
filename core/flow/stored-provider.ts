/** What a stored credential says beside its settings: whether it may be used, for which models, and how. */
import type { ProviderSettings } from '@gateway/contract'
import type { IntegrationData, IntegrationModel } from '../domain/index.ts'

interface Filled {
  settings: ProviderSettings
  /** Sent with the call, in place of the provider's. Lower-case names. */
  headers: Readonly<Record<string, string>>
}

export interface StoredProvider {
  /** Whether nothing is to be checked, added or priced for a call. */
  isPlain: boolean
  slug: string
  id: string
  /** Whether the config file declares it: then whoever says where its models are knows its secrets. */
  isDeclared: boolean
  /** Why it is not to be used: its integration was withdrawn. Null: it may. */
  withdrawn: string | null
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** Whether a model that is not listed may be called. */
  allowsAllModels: boolean
  models: ReadonlyMap<string, IntegrationModel>
  /** Sent with every call. Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Whether a secret manager keeps headers of it, which {@link fill} gives. */
  hasMappedHeaders: boolean
  /** Of the caller's headers, passed on with every call. Lower-case names. */
  forwardHeaders: readonly string[]
  /** Fills in what a secret manager keeps; null when nothing is mapped. */
  fill: ((settings: ProviderSettings) => Promise<Filled>) | null
  /** Of its integration; a model's own replace it whole. */
  pricingAdjustments: IntegrationData['pricing_adjustments']
}
