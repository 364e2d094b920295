/** People, workspaces and credentials of a test, written into its store as the control plane would. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { DocumentDraft, KeyClass, OrganisationRole, Ports } from '@gateway/contract'
import {
  type ApiKeyData,
  firstOrganisationId,
  hashKeyOf,
  type MemberData,
  type SessionData,
  slugKey,
  type UserData,
  type WorkspaceData,
  type WorkspaceRole,
} from '@gateway/domain'

type Documents = Ports['documents']

const defaults = {
  metadata: null,
  config_id: null,
  allow_config_override: true,
  input_guardrails: null,
  output_guardrails: null,
}

function draft(kind: string, own: Partial<DocumentDraft> & { data: DocumentDraft['data'] }): DocumentDraft {
  const now = Date.now()
  return {
    kind,
    id: randomUUID(),
    organisation_id: firstOrganisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: now,
    last_updated_at: now,
    keys: [],
    attributes: {},
    ...own,
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

interface KeyOptions {
  type: KeyClass
  /** Id of a workspace. */
  workspace?: string
  user?: string
  scopes?: readonly string[]
}

export interface People {
  /** Creates a workspace and returns its id. */
  workspace(name: string): Promise<string>
  /** Creates a user and returns the id. */
  user(email: string, role?: OrganisationRole): Promise<string>
  member(workspace: string, user: string, role: WorkspaceRole): Promise<void>
  /** Creates a key and returns its text. */
  key(options: KeyOptions): Promise<string>
  /** Opens a session of this user and returns its token. */
  session(user: string): Promise<string>
}

export function createPeople(documents: () => Documents): People {
  const put = (document: DocumentDraft) => documents().commit([{ op: 'put', document, expected: 0 }])
  return {
    async workspace(name) {
      const data: WorkspaceData = {
        defaults: { ...defaults, user_api_key_config: null },
        settings: {},
        usage_limits: [],
        rate_limits: [],
        last_reset_at: null,
      }
      const slug = name.toLowerCase().replaceAll(' ', '-')
      const keys = [slugKey(firstOrganisationId, slug), `name:${firstOrganisationId}/${name.toLowerCase()}`]
      const document = draft('workspace', {
        slug,
        name,
        keys,
        attributes: { name: [name] },
        data: { ...data },
      })
      await put(document)
      return document.id
    },
    async user(email, role = 'member') {
      const data: UserData = {
        email,
        first_name: email.split('@')[0] ?? email,
        last_name: null,
        role,
        password_hash: null,
        last_login_at: null,
      }
      const document = draft('user', {
        name: email,
        keys: [`email:${email}`],
        attributes: {
          role: [role],
          email: [email],
          user_name: [email],
          emails: [email],
          display_name: [data.first_name],
        },
        data: { ...data },
      })
      await put(document)
      return document.id
    },
    async member(workspace, user, role) {
      const data: MemberData = { user_id: user, role, source_group: null }
      const attributes = { user_id: [user], role: [role] }
      const keys = [`member:${workspace}/${user}`]
      await put(draft('member', { workspace_id: workspace, keys, attributes, data: { ...data } }))
    },
    async key({ type, workspace = null, user = null, scopes = ['completions.write'] }) {
      const text = `gw-${randomBytes(20).toString('hex')}`
      const hash = hashOf(text)
      const data: ApiKeyData = {
        type,
        user_id: user,
        scopes: [...scopes],
        defaults,
        description: null,
        expires_at: null,
        alert_emails: [],
        secrets: [
          {
            key_version: 1,
            hash,
            prefix: 'gw-',
            first: text.slice(0, 3),
            last: text.slice(-4),
            ends_at: null,
          },
        ],
        rotation_policy: null,
        last_reset_at: null,
        usage_limits: [],
        rate_limits: [],
      }
      const attributes = { type: [type], ...(user === null ? {} : { user_id: [user] }) }
      const keys = [hashKeyOf(hash)]
      await put(
        draft('api_key', { name: 'key', workspace_id: workspace, keys, attributes, data: { ...data } }),
      )
      return text
    },
    async session(user) {
      const text = `gws_${randomBytes(20).toString('hex')}`
      const data: SessionData = {
        user_id: user,
        api_key_id: null,
        csrf_token: 'csrf',
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        ip: '127.0.0.1',
        user_agent: null,
      }
      const keys = [hashKeyOf(hashOf(text))]
      await put(draft('session', { keys, attributes: { user_id: [user] }, data: { ...data } }))
      return text
    },
  }
}
