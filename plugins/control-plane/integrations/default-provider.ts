/** The provider (virtual key) that is made beside an integration, and what providers are found by in lists. */

import { randomUUID } from 'node:crypto'
import type { DocumentDraft, StoredDocument } from '@gateway/contract'
import { type IntegrationData, kinds, type ProviderData, slugKey } from '@gateway/core/domain'
import { type Call, conflict, freeSlug, slugFault, writerOf } from '../engine/index.ts'
import { tagAttributes } from '../shared/index.ts'

/** What lists are filtered by. */
export const providerAttributes = (data: ProviderData): Record<string, readonly string[]> => ({
  integration_id: [data.integration_id],
  ai_provider_id: [data.provider],
  can_expire: [String((data.expires_at ?? null) !== null)],
  ...tagAttributes(data.tags),
})

export interface DefaultProvider {
  integration: Pick<StoredDocument<IntegrationData>, 'id' | 'name' | 'data' | 'organisation_id'>
  workspaceId: string
  /** Null: made from the integration's name. */
  slug: string | null
  /** Where the slug was given. */
  param: string
}

/** A provider of an integration's name in a workspace. Errors: 409 for a slug that is taken. */
export async function defaultProvider(call: Call, wanted: DefaultProvider): Promise<DocumentDraft> {
  const { integration, workspaceId } = wanted
  const name = integration.name ?? integration.data.ai_provider_id
  const place = { kind: kinds.provider, slug: { prefix: '' }, level: 'workspace' } as const
  if (wanted.slug !== null) await checkFree(call, wanted.slug, wanted)
  const slug = wanted.slug ?? (await freeSlug(place, call, name, workspaceId))
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
    id: randomUUID(),
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
  throw conflict(`There is another provider with this slug "${slug}".`, param)
}
