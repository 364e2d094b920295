/** `GET /model-configs/pricing/{provider}/{model}` (management contract, section 12): what a model costs, and who says so. */
import { type JsonObject, kinds, type Route, type ServiceContext } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import type { Call } from '../engine/call.ts'
import { notFound } from '../engine/errors.ts'
import { plainRoute } from '../engine/plain-route.ts'
import type { DocumentOf } from '../engine/resource.ts'
import { nullable } from '../engine/schemas.ts'
import { findIntegration, type StoredIntegration } from './integration-data.ts'

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

/** A provider's name, or the slug of a stored one, whose own prices beat those of the list. */
export const pricingRoutes = (context: ServiceContext): Route[] => [
  plainRoute(context, {
    method: 'GET',
    path: '/v1/model-configs/pricing/:provider/:model',
    operationId: 'modelPricing',
    summary: 'Tells what a model costs, in US cents',
    tag: 'Models',
    scope: ['models.list', 'completions.write', 'virtual_keys.list', 'providers.list'],
    answer,
    audit: { action: 'read', resource_type: 'model-pricing' },
    handle: priceOf,
  }),
]

async function priceOf(call: Call): Promise<JsonObject> {
  const { provider = '', model = '' } = call.request.params
  const name = provider.replace(/^@/, '')
  const integration = await integrationBehind(call, name)
  const own = integration?.data.models.find(({ slug }) => slug === model)?.pricing_config ?? null
  const aiProvider = integration?.data.ai_provider_id ?? name
  const listed = own === null ? await call.context.priceOf(aiProvider, model) : null
  const prices = own?.pay_as_you_go ?? listed?.pay_as_you_go
  if (prices === undefined) throw notFound('path/model', 'price')
  return {
    object: 'model-pricing',
    provider: aiProvider,
    model,
    pay_as_you_go: prices as JsonObject,
    currency: 'USD',
    source: own === null ? 'price-list' : 'integration',
    effective_from: null,
  }
}

/** Of a provider that is stored in a workspace of the caller's. */
async function integrationBehind(call: Call, slug: string): Promise<DocumentOf<StoredIntegration> | null> {
  const visible = await call.visibleWorkspaces()
  for (const workspaceId of visible ?? [call.identity.workspaceId]) {
    const provider = await call.find(kinds.provider, slug, workspaceId)
    if (provider !== null) return findIntegration(call, String(provider.data.integration_id))
  }
  return null
}
