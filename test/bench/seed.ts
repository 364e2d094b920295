/** Fills a store with many objects through the documents port, in the form that the control plane writes. */
import { createHash, randomUUID } from 'node:crypto'
import type { DocumentDraft, Documents, JsonObject, LogEntry, Store } from '@gateway/contract'
import {
  type ApiKeyData,
  defaultWorkspaceId,
  firstOrganisationId,
  hashKeyOf,
  kinds,
  type Limits,
  type RateLimitPolicyData,
  slugKey,
  timeOrderedId,
  type UserData,
} from '@gateway/domain'
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

/** A policy of the default workspace for a model that no request uses: each request is compared with it. */
export function policyDraft(index: number): DocumentDraft {
  const data: RateLimitPolicyData = {
    conditions: [{ key: 'model', value: `unused-${index}` }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    unit: 'rpm',
    value: 1_000_000,
    target: 'llm',
  }
  return draft(kinds.rateLimitPolicy, index, { data: { ...data } })
}

const MODELS = ['gpt-5', 'gpt-5-mini', 'claude-sonnet-5', 'gemini-3-pro', 'mistral-large']
const DAY_MS = 86_400_000

/** Entries of the default workspace, the given days up to now, evenly and in order. */
export async function seedLog(
  url: string,
  entries: { from: number; to: number; of: number; days: number },
): Promise<void> {
  const { from, to, of, days } = entries
  const store: Store = await sqlStore.open(url, { directory: '.', report: console.error })
  const endsAt = Date.now()
  try {
    const { log } = store
    if (log === undefined) throw new Error('The store keeps no log.')
    for (let start = from; start < to; start += PER_COMMIT) {
      const count = Math.min(PER_COMMIT, to - start)
      const made = Array.from({ length: count }, (_, index) => {
        const place = start + index
        return logEntry(place, Math.floor(endsAt - (1 - place / of) * days * DAY_MS))
      })
      await log.append(made)
    }
  } finally {
    await store.close()
  }
}

const QUESTION = 'Where does the light of the evening come from, and why is it red? '.repeat(4)

function logEntry(index: number, at: number): LogEntry {
  const id = timeOrderedId(at)
  const model = MODELS[index % MODELS.length] ?? null
  const isError = index % 50 === 0
  return {
    id,
    created_at: at,
    organisation_id: firstOrganisationId,
    workspace_id: defaultWorkspaceId,
    fields: {
      trace_id: id,
      api_key_id: `key-${index % 1000}`,
      endpoint_type: 'chatComplete',
      request_url: '/v1/chat/completions',
      request_method: 'POST',
      response_status_code: isError ? 500 : 200,
      ai_org: index % 3 === 0 ? 'anthropic' : 'openai',
      ai_model: model,
      requested_model: model,
      mode: 'single',
      cache_status: 'DISABLED',
      req_units: 200 + (index % 700),
      res_units: 50 + (index % 300),
      total_units: 250 + (index % 1000),
      cost: (index % 97) / 100,
      cost_known: true,
      response_time: 200 + (index % 3000),
      source: 'gateway',
    },
    metadata: { team: `team-${index % 20}` },
    details: { attempts: [], decisions: [], hook_results: null },
    bodies: {
      request: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `${QUESTION} needle-${index}` }],
      }),
      response: JSON.stringify({ choices: [{ message: { role: 'assistant', content: QUESTION } }] }),
      transformed_request: null,
      original_response: null,
    },
  }
}

export const configSlug = (index: number) => `cfg-bench-${index}`
