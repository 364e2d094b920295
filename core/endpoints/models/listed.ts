/**
 * The models visible to callers: each provider's list combined with the config file. `enabled: false` removes a model,
 * `name` sets its name, and models that the provider does not list are added.
 */

import type { JsonObject, ModelInfo, ProviderAdapter } from '@gateway/contract'
import type { ResolvedTarget, StoredProvider, Workspace } from '@gateway/flow'

export interface ListedModel {
  info: ModelInfo
  /** The provider's own name of the model, without the provider prefix. */
  slug: string
  name: string
  /** The stored credential, or the provider when the caller sends the credential. */
  provider: string
  aiService: string
  isCustom: boolean
  /** Null for a saved config, which is used like a model. */
  adapter: ProviderAdapter | null
  /** The stored credential; null when the caller sends one. */
  stored: StoredProvider | null
}

/** A model that a provider serves. */
export type ProviderModel = ListedModel & { adapter: ProviderAdapter }

export const isOfProvider = (model: ListedModel): model is ProviderModel => model.adapter !== null

/** Further data of a model; null when unknown. */
export interface ModelDetails {
  capabilities: JsonObject | null
  pricing: JsonObject | null
}

/** A provider's own list, without the config file's changes. */
export function ownModels(target: ResolvedTarget, models: readonly ModelInfo[]): ListedModel[] {
  const aiService = target.adapter.name
  return models.map((model) => ({
    // The name that callers use: prefixed with the stored credential, if any.
    info: { ...model, id: target.slug === null ? model.id : `@${target.slug}/${model.id}` },
    slug: model.id,
    name: model.name ?? model.id,
    provider: target.slug ?? aiService,
    aiService,
    isCustom: false,
    adapter: target.adapter,
    stored: null,
  }))
}

/** The list of a stored credential, with the config file's changes. */
export function integratedModels(
  settings: Workspace,
  target: ResolvedTarget,
  models: readonly ModelInfo[],
): ListedModel[] {
  const stored = target.slug === null ? undefined : settings.storedProviders.get(target.slug)
  if (stored === undefined) return ownModels(target, models)
  const bySlug = stored.models
  const listed = new Map(models.map((model) => [model.id, model]))
  const added = [...bySlug.values()]
    .filter(({ slug }) => !listed.has(slug))
    .map(({ slug, base_model_slug: base }) => {
      return { id: slug, capabilities: base === null ? undefined : listed.get(base)?.capabilities }
    })
  return ownModels(target, [...models, ...added]).flatMap((model) => {
    const own = bySlug.get(model.slug)
    if (!(own?.enabled ?? stored.allowsAllModels)) return []
    return [{ ...model, name: own?.name ?? model.name, isCustom: own?.is_custom ?? false, stored }]
  })
}

/** An entry of the compatible list, with the gateway's additional members. */
export const renderModel = (
  { info, slug, name, provider, aiService, isCustom }: ListedModel,
  { capabilities, pricing }: ModelDetails,
): JsonObject => ({
  id: info.id,
  object: 'model',
  created: info.created ?? 0,
  owned_by: info.owned_by ?? aiService,
  slug,
  name,
  provider: { slug: provider, name: provider },
  ai_service: aiService,
  is_custom: isCustom,
  capabilities,
  pricing,
})
