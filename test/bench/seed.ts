/** Fills a store with many objects, by the documents port, as the control plane would have written them. */
import { createHash, randomUUID } from 'node:crypto'
import type { DocumentDraft, Documents, JsonObject, Store } from '@gateway/contract'
import {
  type ApiKeyData,
  defaultWorkspaceId,
  firstOrganisationId,
  hashKeyOf,
  kinds,
  type Limits,
  slugKey,
  type UserData,
} from '@gateway/core/domain'
import sqlStore from '@gateway/store-sql'

const PER_COMMIT = 500

export async function seedStore(
  url: string,
  count: number,
  make: (index: number) => DocumentDraft,
): Promise<void> {
  const store: Store = await sqlStore.open(url, { directory: '.', report: console.error })
  try {
    const documents = store.documents as Documents
    for (let start = 0; start < count; start += PER_COMMIT) {
      const drafts = Array.from({ length: Math.min(PER_COMMIT, count - start) }, (_, index) =>
        make(start + index),
      )
      await documents.commit(drafts.map((document) => ({ op: 'put', isQuiet: true, document })))
    }
  } finally {
    await store.close()
  }
}

function draft(kind: string, index: number, own: Partial<DocumentDraft>): DocumentDraft {
  return {
    kind,
    id: randomUUID(),
    organisation_id: firstOrganisationId,
    workspace_id: defaultWorkspaceId,
    slug: null,
    name: `${kind} ${index}`,
    status: 'active',
    created_at: 1_700_000_000_000 + index,
    last_updated_at: 1_700_000_000_000 + index,
    keys: [],
    attributes: {},
    data: {},
    ...own,
  }
}

/** A key of the default workspace. */
export function keyDraft(index: number, text: string, limits: Limits): DocumentDraft {
  const hash = createHash('sha256').update(text).digest('hex')
  const data: ApiKeyData = {
    type: 'workspace-service',
    user_id: null,
    scopes: ['completions.write'],
    defaults: {
      metadata: null,
      config_id: null,
      allow_config_override: true,
      input_guardrails: null,
      output_guardrails: null,
    },
    description: null,
    expires_at: null,
    alert_emails: [],
    secrets: [
      { key_version: 1, hash, prefix: 'gw-', first: text.slice(0, 3), last: text.slice(-4), ends_at: null },
    ],
    rotation_policy: null,
    last_reset_at: null,
    ...limits,
  }
  return draft(kinds.apiKey, index, {
    keys: [hashKeyOf(hash)],
    attributes: { type: ['workspace-service'] },
    data: { ...data },
  })
}

/** A person of the organisation. */
export function userDraft(index: number): DocumentDraft {
  const email = userEmail(index)
  const data: UserData = {
    email,
    first_name: `First ${index}`,
    last_name: `Last ${index}`,
    role: 'member',
    password_hash: null,
    last_login_at: null,
  }
  return draft(kinds.user, index, {
    workspace_id: null,
    name: `${data.first_name} ${data.last_name} ${email}`,
    keys: [`email:${email}`],
    attributes: {
      role: ['member'],
      email: [email],
      user_name: [email],
      emails: [email],
      display_name: [`first ${index} last ${index}`],
    },
    data: { ...data },
  })
}

export const userEmail = (index: number) => `seeded-${index}@example.com`

/** A saved config of the default workspace. */
export function configDraft(index: number): DocumentDraft {
  const slug = configSlug(index)
  const data: JsonObject = { config: { provider: 'echo' }, format: 'json', type: 'ORG_CONFIG', is_default: 0 }
  return draft(kinds.config, index, { slug, keys: [slugKey(defaultWorkspaceId, slug)], data })
}

export const configSlug = (index: number) => `cfg-bench-${index}`
