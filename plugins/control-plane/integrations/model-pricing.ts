/**
 * `GET /model-configs/pricing/{provider}/{model}` (management contract, section 12): the price of a model and its
 * source.
 */

import type { JsonObject, ListedPricing, Route, StoredDocument } from '@gateway/contract'
import { adjustedPrices, type IntegrationData, kinds, type Multipliers, pricedModel } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ManagementContext, notFound, nullable, plainRoute } from '../engine/index.ts'
import { findIntegration } from './data.ts'

const answer = Type.Object(
  {
    object: Type.Literal('model-pricing'),
    provider: Type.String(),
    model: Type.String(),
    pay_as_you_go: Type.Object({}, { additionalProperties: true }),
    currency: Type.Literal('USD'),
    source: Type.Union([Type.Literal('integration'), Type.Literal('price-list')]),
    effective_from: nullable(Type.String()),
  },
  { additionalProperties: false },
)

/** A provider's name, or the slug of a stored provider, whose own prices have precedence over the price list. */
export const pricingRoutes = (context: ManagementContext<'priceOf'>): Route[] => [
  plainRoute(context, {
    method: 'GET',
    path: '/v1/model-configs/pricing/:provider/:model',
    operationId: 'modelPricing',
    summary: 'Returns the price of a model in US cents',
    tag: 'Models',
    scope: ['models.list', 'completions.write', 'virtual_keys.list', 'providers.list'],
    query: Type.Object({ workspace_id: Type.Optional(Type.String({ minLength: 1 })) }),
    answer,
    audit: { action: 'read', resource_type: 'model-pricing' },
    handle: priceOf,
  }),
]

async function priceOf(call: Call<'priceOf'>): Promise<JsonObject> {
  const { provider = '', model = '' } = call.request.params
  const name = provider.replace(/^@/, '')
  const integration = await integrationBehind(call, name)
  const declared = new Map(integration?.data.models.map((one) => [one.slug, one]))
  const aiProvider = integration?.data.ai_provider_id ?? name
  const { config: own, names } = pricedModel(model, (slug) => declared.get(slug))
  const listed = own === null ? await listedPrice(call, aiProvider, names) : null
  const prices = (own ?? listed)?.pay_as_you_go
  if (prices === undefined) throw notFound('path/model', 'price')
  // A model's multipliers replace those of its integration completely.
  const adjustments =
    declared.get(model)?.pricing_adjustments ?? integration?.data.pricing_adjustments ?? null
  return {
    object: 'model-pricing',
    provider: aiProvider,
    model,
    // Multipliers were validated by their schema when they were written.
    pay_as_you_go: adjustedPrices(prices, (adjustments?.multiplier ?? {}) as Multipliers),
    currency: 'USD',
    source: own === null ? 'price-list' : 'integration',
    effective_from: listed?.effective_from ?? null,
  }
}

async function listedPrice(
  call: Call<'priceOf'>,
  provider: string,
  names: readonly string[],
): Promise<ListedPricing | null> {
  for (const name of names) {
    const found = await call.context.priceOf(provider, name)
    if (found !== null) return found
  }
  return null
}

/** The integration of a provider in one of the caller's workspaces. */
async function integrationBehind(call: Call, slug: string): Promise<StoredDocument<IntegrationData> | null> {
  const { workspace_id: named } = call.query
  const places =
    named === undefined
      ? ((await call.visibleWorkspaces()) ?? [call.identity.workspaceId])
      : [(await call.workspace(String(named))).id]
  for (const workspaceId of places) {
    const provider = await call.find(kinds.provider, slug, workspaceId)
    if (provider !== null) return findIntegration(call, String(provider.data.integration_id))
  }
  return null
}
