/** How answers show API keys. Data that many keys of a page need is read once for all of them. */

import type { JsonObject } from '@gateway/contract'
import { type Defaults, kinds, limitOwners, type UsageState } from '@gateway/domain'
import { isFileDocument, type Viewer } from '../engine/index.ts'
import { lastUses, loadUsage, presentLimits } from '../shared/index.ts'
import { isoOf, type KeyDocument, statusOf, transitionEnd } from './data.ts'
import { maskOf } from './secret.ts'

interface Extras {
  lastUsedAt: string | null
  usage: readonly UsageState[] | null
  configSlug: string | null
}

const extrasKey = (id: string) => `api-key ${id}`

/** Reads the related data of a page's keys. */
export async function preloadKeys(
  documents: readonly KeyDocument[],
  call: Viewer<'counters'>,
): Promise<void> {
  const used = await lastUses(
    documents.map(({ id }) => id),
    call,
  )
  const slugs = new Map<string, Promise<string | null>>()
  await Promise.all(
    documents.map(async (document) => {
      const { id, data } = document
      const extras: Extras = {
        lastUsedAt: used.get(id) ?? null,
        usage: await loadUsage(call.context.counters, limitOwners.apiKey(id), {
          limits: data.usage_limits,
          nowMs: call.nowMs,
        }),
        configSlug: await configSlug(document, call, slugs),
      }
      call.memory.set(extrasKey(id), extras)
    }),
  )
}

async function configSlug(
  { workspace_id, data }: KeyDocument,
  call: Viewer,
  slugs: Map<string, Promise<string | null>>,
): Promise<string | null> {
  const { config_id: name } = data.defaults ?? { config_id: null }
  if (name === null) return null
  const key = `${workspace_id}/${name}`
  const known = slugs.get(key)
  if (known !== undefined) return known
  const made = call
    .find(kinds.config, name, workspace_id ?? call.organisationId)
    .then((found) => found?.slug ?? null)
  slugs.set(key, made)
  return made
}

export async function presentKey(document: KeyDocument, call: Viewer<'counters'>): Promise<JsonObject> {
  if (!call.memory.has(extrasKey(document.id))) await preloadKeys([document], call)
  const extras = call.memory.get(extrasKey(document.id)) as Extras
  const { data } = document
  const [secret] = data.secrets
  const isExhausted = extras.usage?.some(({ status }) => status === 'exhausted') ?? false
  const plain = statusOf(document, call.nowMs)
  const status = plain === 'active' && isExhausted ? 'exhausted' : plain
  const endsAt = transitionEnd(data, call.nowMs)
  return {
    status,
    masked_key: maskOf(secret),
    prefix: secret?.prefix ?? null,
    ...presentLimits(data, extras.usage, 'key'),
    defaults: { ...(data.defaults satisfies Defaults) },
    rotation_policy:
      data.rotation_policy === null
        ? null
        : { ...data.rotation_policy, status: status === 'active' ? 'active' : 'paused' },
    creation_mode: data.creation_mode ?? (isFileDocument(document) ? null : 'api'),
    last_used_at: extras.lastUsedAt,
    last_rotated_at: data.last_rotated_at ?? null,
    key_transition_expires_at: endsAt === null ? null : isoOf(endsAt),
    last_reset_at: data.last_reset_at,
    default_config_slug: extras.configSlug,
  }
}
