/** The records of the authorization server: clients, codes, tokens, pending consents. Secrets are stored as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import {
  type Capabilities,
  type DocumentDraft,
  type DocumentWrite,
  isGatewayError,
  isObject,
  type JsonObject,
  type StoredDocument,
  type TokenSubject,
} from '@gateway/contract'
import { hashKeyOf, timeOrderedId } from '@gateway/domain'

export const oauthKinds = {
  client: 'oauth_client',
  code: 'oauth_code',
  token: 'oauth_token',
  consent: 'oauth_consent',
} as const

export type ClientData = {
  client_name: string
  redirect_uris: string[]
  grant_types: string[]
  token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post'
  /** Null: a public client. */
  secret_hash: string | null
  client_uri: string | null
  /** The time when a person first consented to the client; null: never. Clients of earlier versions do not have it. */
  used_at?: number | null
}

/** The grant of a code and of the tokens issued for it. */
export type Grant = {
  client_id: string
  /** All records that follow from one consent; they are ended together. */
  family_id: string
  /** The server's slug, and the URL that the client sent. */
  slug: string
  resource: string
  scopes: string[]
  subject: { organisationId: string; workspaceId: string; userId: string | null; keyId: string | null }
}

export type CodeData = Grant & {
  redirect_uri: string
  code_challenge: string
  expires_at: number
  is_used: boolean
}
export type TokenData = Grant & { type: 'access' | 'refresh'; expires_at: number; is_used: boolean }
export type ConsentData = Omit<Grant, 'family_id'> & {
  redirect_uri: string
  code_challenge: string
  state: string | null
  /** The session that the consent page was shown to. */
  session_id: string
  expires_at: number
}

type Documents = Capabilities['documents']

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A secret of 256 random bits with a prefix. */
export const newSecret = (prefix = ''): string => prefix + randomBytes(32).toString('base64url')

interface DraftOptions {
  data: object
  nowMs: number
  id?: string
  organisationId?: string | null
}

/** A new record, found by the hash of its secret. `family_id` identifies the records to end with it. */
export function draftOf(
  kind: string,
  secret: string | null,
  { data, nowMs, id, organisationId = null }: DraftOptions,
): DocumentDraft<JsonObject> {
  const family = 'family_id' in data ? data.family_id : null
  return {
    kind,
    id: id ?? timeOrderedId(nowMs),
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: secret === null ? [] : [hashKeyOf(sha256(secret))],
    attributes: { ...(typeof family === 'string' ? { family: [family] } : {}), ...ofUser(data) },
    data: { ...data } as JsonObject,
  }
}

/** The user of a record, so that it can be ended when the user loses access. */
function ofUser(data: object): Record<string, readonly string[]> {
  const subject = 'subject' in data ? data.subject : null
  const userId = isObject(subject) ? subject.userId : null
  return typeof userId === 'string' ? { user_id: [userId] } : {}
}

/** The record stored under the hash of a secret, or null. */
export async function findBySecret<Data>(
  documents: Documents,
  kind: string,
  secret: string,
): Promise<StoredDocument<Data> | null> {
  const found = await documents.findByKey(kind, hashKeyOf(sha256(secret)))
  return found as StoredDocument<Data> | null
}

export async function findClient(
  documents: Documents,
  id: string,
): Promise<StoredDocument<ClientData> | null> {
  const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id)
  return isId ? ((await documents.get(oauthKinds.client, id)) as StoredDocument<ClientData> | null) : null
}

/** Records the first use of a client, which is then kept. */
export async function noteUse(documents: Documents, clientId: string, nowMs: number): Promise<void> {
  const client = await findClient(documents, clientId)
  if (client === null || client.data.used_at !== null) return
  const { version, ...draft } = client
  const document = { ...draft, data: { ...draft.data, used_at: nowMs } as JsonObject }
  try {
    await documents.commit([{ op: 'put', document, expected: version }])
  } catch (error) {
    // Another person's consent has recorded it.
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
  }
}

/** Marks a record as used. Fails with `precondition_failed` if it was used concurrently. */
export const usedWrite = ({ version, ...draft }: StoredDocument<CodeData | TokenData>): DocumentWrite => ({
  op: 'put',
  document: { ...draft, data: { ...draft.data, is_used: true } as JsonObject },
  expected: version,
})

/** Ends every token of a family. */
export async function endFamily(documents: Documents, familyId: string): Promise<void> {
  for (;;) {
    const { documents: page } = await documents.list(
      oauthKinds.token,
      { attributes: { family: [familyId] } },
      { offset: 0, limit: 100 },
    )
    if (page.length === 0) return
    await documents.commit(page.map(({ kind, id }) => ({ op: 'remove' as const, kind, id })))
  }
}

export const subjectOf = ({ subject }: Grant): TokenSubject => subject
