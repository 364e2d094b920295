/** Rules of a stored credential in addition to its settings: whether it may be used, for which models, and how. */
import type { ProviderSettings } from '@gateway/contract'
import type { IntegrationData, IntegrationModel } from '@gateway/domain'

interface Filled {
  settings: ProviderSettings
  /** Sent with the call instead of the provider's. Lower-case names. */
  headers: Readonly<Record<string, string>>
}

export interface StoredProvider {
  /** Whether calls need no checks, additions or prices. */
  isPlain: boolean
  slug: string
  id: string
  /** Whether it is declared in the config file, whose author knows its secrets and may set models' hosts. */
  isDeclared: boolean
  /** The reason why it may not be used, such as a revoked integration; null if it may be used. */
  withdrawn: string | null
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** Whether unlisted models may be called. */
  allowsAllModels: boolean
  models: ReadonlyMap<string, IntegrationModel>
  /** Sent with every call. Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Whether some of its headers come from a secret manager, through {@link fill}. */
  hasMappedHeaders: boolean
  /** Headers forwarded from the caller. Lower-case names. */
  forwardHeaders: readonly string[]
  /** Fills in values from secret managers; null when nothing is mapped. */
  fill: ((settings: ProviderSettings) => Promise<Filled>) | null
  /** The adjustments of its integration; those of a model replace them as a whole. */
  pricingAdjustments: IntegrationData['pricing_adjustments']
}
