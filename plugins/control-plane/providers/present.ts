/** How answers show providers and virtual keys. */

import type { JsonObject, StoredDocument } from '@gateway/contract'
import { type IntegrationData, isOfKind, kinds, limitOwners, type ProviderData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { shownConfigurations } from '../integrations/index.ts'
import { configsUsing, exhaustedIds, loadUsage, presentLimits } from '../shared/index.ts'
import { isExpired } from './expiry.ts'

type Provider = StoredDocument<ProviderData>

/** Members that both have. */
export async function presentProvider(document: Provider, call: Call<'counters'>): Promise<JsonObject> {
  const { id, data } = document
  const owner = limitOwners.provider(id)
  const states = await loadUsage(call.context.counters, owner, {
    limits: data.usage_limits,
    nowMs: call.nowMs,
  })
  const isExhausted = states?.some(({ status }) => status === 'exhausted') === true
  return {
    ...presentLimits(data, states, 'provider'),
    provider: data.provider,
    last_reset_at: data.last_reset_at ?? null,
    status: statusOf(document, isExhausted, call.nowMs),
  }
}

function statusOf({ status, data }: Provider, isExhausted: boolean, nowMs: number): string {
  if (status === 'archived') return status
  if (isExpired(data, nowMs)) return 'expired'
  return isExhausted ? 'exhausted' : 'active'
}

/** Exhausted providers and virtual keys, for lists by status. */
export const exhaustedProviders = (call: Call<'counters'>): Promise<string[]> =>
  exhaustedIds(
    { kind: kinds.provider, owner: 'provider', isLive: ({ data }, nowMs) => !isExpired(data, nowMs) },
    call,
  )

const idsAtOnce = 100
const memoryKey = (id: string) => `integration ${id}`

/** Reads the integrations of a page at once. */
export async function preloadIntegrations(documents: readonly Provider[], call: Call): Promise<void> {
  const ids = [...new Set(documents.map(({ data }) => data.integration_id))]
  const declared = call.context.fileDocuments().filter((document) => isOfKind(document, kinds.integration))
  for (const { id, data } of declared) call.memory.set(memoryKey(id), data)
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const page = { offset: 0, limit: idsAtOnce }
    const part = ids.slice(start, start + idsAtOnce)
    const found = await call.documents.list(kinds.integration, { ids: part }, page)
    for (const { id, data } of found.documents) call.memory.set(memoryKey(id), data)
  }
}

/** The members of its credential that a virtual key shows. */
export async function presentVirtualKey(document: Provider, call: Call<'counters'>): Promise<JsonObject> {
  const key = memoryKey(document.data.integration_id)
  if (!call.memory.has(key)) await preloadIntegrations([document], call)
  const integration = call.memory.get(key) as IntegrationData | undefined
  return {
    ...(await presentProvider(document, call)),
    masked_key: integration?.masked_key ?? null,
    model_config: integration === undefined ? {} : shownConfigurations(integration),
    secret_mappings: (integration?.secret_mappings ?? []).map(
      (mapping): JsonObject => ({
        ...mapping,
        target_field: mapping.target_field.replace(/^configurations\./, 'model_config.'),
      }),
    ),
  }
}

/** Removes the cached integration after a write. */
export const forgetIntegration = (call: Call, id: string): boolean => call.memory.delete(memoryKey(id))

/** Live configs that refer to it. */
export const configsNaming = async (
  { slug, workspace_id: workspaceId }: Provider,
  call: Call,
): Promise<string[]> =>
  slug === null ? [] : configsUsing(call, { as: 'providers', names: [slug], workspaceId })
