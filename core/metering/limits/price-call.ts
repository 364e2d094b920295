/** Usage and cost of a call made by another program: from its answer, at the workspace's prices. */
import { isObject, type Json, type JsonObject, type LoggedCall, type PricedCall } from '@gateway/contract'
import { noUsage, type Usage } from '@gateway/contract/dialect'
import type { Endpoint, Workspace } from '@gateway/flow'
import { noCost } from '../pricing/cost.ts'
import { listNameOf, type Priced, preparePrices, priceOf } from '../pricing/price.ts'
import { noRules, rulesOf } from '../pricing/prices.ts'
import { imageAsked } from './usage-cost.ts'

/** @param endpoint null for endpoints without usage */
export async function priceCall(
  settings: Workspace,
  endpoint: Endpoint | null,
  call: LoggedCall,
): Promise<PricedCall> {
  const slug = call.provider?.startsWith('@') === true ? call.provider.slice(1) : null
  const stored = slug === null ? undefined : settings.storedProviders.get(slug)
  const target = slug === null ? undefined : settings.storedTargets.get(slug)
  const name = target?.adapter.name ?? (slug === null ? call.provider : null)
  const adapter = name === null ? undefined : settings.context.registry.providers.get(name)
  const requested = modelOf(call.request)
  const model = modelOf(call.response) ?? requested
  const reported = isObject(call.response) ? usageOf(endpoint, call.response) : null
  const { names, rules } = stored === undefined ? noRules(requested) : rulesOf(stored, requested)
  const models = [...new Set([...names, ...(model === null ? [] : [model])])]
  const priced: Priced = { listName: adapter === undefined ? null : listNameOf(adapter), models, rules }
  await preparePrices(priced)
  const body = isObject(call.request) ? call.request : {}
  const images = endpoint === null ? {} : imageAsked({ endpoint, body })
  const cost =
    reported === null
      ? { ...noCost, isKnown: false }
      : priceOf(priced, reported, { nowMs: call.atMs, ...images })
  const usage = reported ?? noUsage
  return {
    ai_org: name,
    provider: target === undefined ? null : slug,
    provider_id: stored?.id ?? null,
    ai_model: model,
    requested_model: requested,
    req_units: usage.promptTokens,
    res_units: usage.completionTokens,
    reasoning_units: usage.reasoningTokens,
    cached_units: usage.cachedTokens,
    cents: cost.cents,
    isKnown: cost.isKnown,
  }
}

/** The usage reported in an endpoint's answer. */
const usageOf = (endpoint: Endpoint | null, body: JsonObject): Usage | null =>
  endpoint === null ? null : (endpoint.readUsage ?? ((one) => endpoint.format.usageOf(one, null)))(body)

const modelOf = (body: Json): string | null =>
  isObject(body) && typeof body.model === 'string' ? body.model.slice(0, 200) : null
