/** Whether a stored credential may be used, including those of the config file. */

import { type ConfigFile, fileId, fileModel, filePricingAdjustments } from '@gateway/config-file'
import { GatewayError } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import type { StoredProvider } from '@gateway/flow'

/**
 * Refuses calls that a stored credential does not allow. Errors: 403 `forbidden` when it has expired or was revoked,
 * 403 `model_not_allowed`.
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

/** The providers of the config file, by slug. */
export function fileProviders(file: ConfigFile): Map<string, StoredProvider> {
  return new Map(
    Object.entries(file.providers).map(([slug, declared]): [string, StoredProvider] => [
      slug,
      {
        slug,
        id: fileId(kinds.provider, slug),
        isDeclared: true,
        isPlain: (declared.models ?? []).length === 0 && declared.pricing_adjustments === undefined,
        withdrawn: null,
        expiresAt: null,
        allowsAllModels: true,
        models: new Map((declared.models ?? []).map((model) => [model.slug, fileModel(model)])),
        headers: {},
        hasMappedHeaders: false,
        forwardHeaders: [],
        fill: null,
        pricingAdjustments: filePricingAdjustments(declared),
      },
    ]),
  )
}
