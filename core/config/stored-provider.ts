/** What a stored credential says beside its settings: whether it may be used, for which models, and how. */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import type { IntegrationData, IntegrationModel } from '../domain/index.ts'
import type { ConfigFile } from './file/complete.ts'
import { fileModel } from './file/documents.ts'

export interface StoredProvider {
  slug: string
  /** Why it is not to be used: its integration was withdrawn. Null: it may. */
  withdrawn: string | null
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** Whether a model that is not listed may be called. */
  allowsAllModels: boolean
  models: ReadonlyMap<string, IntegrationModel>
  /** Sent with every call. Lower-case names. */
  headers: Readonly<Record<string, string>>
  /** Of the caller's headers, passed on with every call. Lower-case names. */
  forwardHeaders: readonly string[]
  /** Fills in what a secret manager keeps; null when nothing is mapped. */
  fill: ((settings: ProviderSettings) => Promise<ProviderSettings>) | null
  /** Of its integration; a model's own replace it whole. */
  pricingAdjustments: IntegrationData['pricing_adjustments']
}

/**
 * Refuses what a stored credential is not for.
 * Errors: 403 `forbidden` when it has expired or was withdrawn, 403 `model_not_allowed`.
 */
export function checkUse(stored: StoredProvider, model: unknown, nowMs: number): void {
  const { slug, withdrawn, expiresAt, allowsAllModels, models } = stored
  const param = `providers/${slug}`
  if (withdrawn !== null) throw new GatewayError('forbidden', `@${slug} ${withdrawn}.`, { param })
  if (expiresAt !== null && expiresAt <= nowMs)
    throw new GatewayError('forbidden', `@${slug} has expired.`, { param })
  if (typeof model !== 'string' || (allowsAllModels && models.size === 0)) return
  if (models.get(model)?.enabled ?? allowsAllModels) return
  const message = `The model "${model.slice(0, 100)}" is not enabled for @${slug}.`
  throw new GatewayError('model_not_allowed', message, { param: '/model' })
}

/** Those of the config file. */
export function fileProviders(file: ConfigFile): Map<string, StoredProvider> {
  return new Map(
    Object.entries(file.providers).map(([slug, { models = [] }]): [string, StoredProvider] => [
      slug,
      {
        slug,
        withdrawn: null,
        expiresAt: null,
        allowsAllModels: true,
        models: new Map(models.map((model) => [model.slug, fileModel(model)])),
        headers: {},
        forwardHeaders: [],
        fill: null,
        pricingAdjustments: null,
      },
    ]),
  )
}
