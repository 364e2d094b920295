/**
 * The provider (virtual key) that is created together with an integration, and the attributes of providers for lists.
 */

import type { DocumentDraft, StoredDocument } from '@gateway/contract'
import { type IntegrationData, kinds, type ProviderData, slugKey, timeOrderedId } from '@gateway/domain'
import { type Call, conflict, freeSlug, slugFault, writerOf } from '../engine/index.ts'
import { tagAttributes } from '../shared/index.ts'

/** The attributes that lists filter by. */
export const providerAttributes = (data: ProviderData): Record<string, readonly string[]> => ({
  integration_id: [data.integration_id],
  ai_provider_id: [data.provider],
  can_expire: [String((data.expires_at ?? null) !== null)],
  ...tagAttributes(data.tags),
})

export interface DefaultProvider {
  integration: Pick<StoredDocument<IntegrationData>, 'id' | 'name' | 'data' | 'organisation_id'>
  workspaceId: string
  /** The slug; null: it is generated from the integration's name. */
  slug: string | null
  /** The path of the slug in the body. */
  param: string
}

/** A provider with an integration's name in a workspace. Errors: 409 for a slug that is taken. */
export async function defaultProvider(call: Call, wanted: DefaultProvider): Promise<DocumentDraft> {
  const { integration, workspaceId } = wanted
  const name = integration.name ?? integration.data.ai_provider_id
  const place = { kind: kinds.provider, slug: { prefix: '' }, level: 'workspace' } as const
  if (wanted.slug !== null) await checkFree(call, wanted.slug, wanted)
  const slug = wanted.slug ?? (await freeSlug(place, call, { name, scopeId: workspaceId }))
  const data: ProviderData = {
    integration_id: integration.id,
    provider: integration.data.ai_provider_id,
    note: null,
    usage_limits: [],
    rate_limits: [],
    expires_at: null,
    last_reset_at: null,
    tags: null,
  }
  return {
    kind: kinds.provider,
    id: timeOrderedId(call.nowMs),
    organisation_id: integration.organisation_id,
    workspace_id: workspaceId,
    slug,
    name,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [slugKey(workspaceId, slug)],
    attributes: providerAttributes(data),
    data: { ...data, owner_id: writerOf(call), updated_by: writerOf(call) },
  }
}

async function checkFree(call: Call, slug: string, { workspaceId, param }: DefaultProvider): Promise<void> {
  const reason = slugFault(slug)
  if (reason !== null) throw conflict(`The slug ${reason}.`, param)
  if ((await call.find(kinds.provider, slug, workspaceId)) === null) return
  throw conflict(`Another provider already has the slug "${slug}".`, param)
}
