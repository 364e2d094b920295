/** `gateway keys … --store`: creates, lists, rotates and revokes stored keys, as the management API does. */
import { hash as hashOf } from 'node:crypto'
import type { DocumentDraft, Documents, DocumentWrite } from '@gateway/contract'
import {
  createKey,
  type DocumentOf,
  defaultWorkspaceId,
  eventsOf,
  expandScope,
  firstOrganisationId,
  hashKeyOf,
  kinds,
  scopesOfClass,
  slugKey,
  timeOrderedId,
  typedDocuments,
  unknownName,
} from '@gateway/domain'
import { table } from './table.ts'
import { type Terminal, UsageError } from './terminal.ts'

export interface StoredKeysCall {
  documents: Documents
  keyPrefix: string
  /** The argument after the action: a name or an id. */
  name: string | undefined
  values: {
    name?: string | undefined
    scopes?: string | undefined
    workspace?: string | undefined
    /** ISO 8601. */
    expiresAt?: string | undefined
  }
  terminal: Terminal
  nowMs: number
}

type KeyDocument = DocumentOf<'api_key'>
type Data = KeyDocument['data']

const live = ['active', 'exhausted', 'expired']
const transitionMs = 1_800_000
const pageSize = 500

export const storedKeyActions: Readonly<Record<string, (call: StoredKeysCall) => Promise<void>>> = {
  create,
  list,
  rotate,
  revoke,
}

async function create({ documents, keyPrefix, values, terminal, nowMs }: StoredKeysCall): Promise<void> {
  if (values.name === undefined) throw new UsageError('keys create needs --name NAME.')
  const written = (values.scopes ?? 'completions.write,models.list').split(',')
  const scopes = written.flatMap((scope) => {
    const given = expandScope(scope, 'workspace-service')
    const known = scopesOfClass('workspace-service')
    if (given === null) throw new UsageError(unknownName({ what: 'scope', written: scope, known }))
    return given
  })
  const workspaceId = await findWorkspace(documents, values.workspace ?? 'default')
  const { text, secret } = createSecret(keyPrefix, 1)
  const data: Data = {
    type: 'workspace-service',
    user_id: null,
    scopes: [...new Set(scopes)],
    defaults: {
      metadata: null,
      config_id: null,
      allow_config_override: true,
      input_guardrails: null,
      output_guardrails: null,
    },
    description: null,
    expires_at: values.expiresAt ?? null,
    alert_emails: [],
    secrets: [secret],
    rotation_policy: null,
    usage_limits: [],
    rate_limits: [],
    last_reset_at: null,
    creation_mode: 'api',
    last_rotated_at: null,
    unread: null,
    notices: [],
    owner_id: null,
    updated_by: null,
  }
  await commit(documents, 'create', {
    ...emptyDraft(nowMs),
    name: values.name,
    workspace_id: workspaceId,
    attributes: {
      type: [data.type],
      ...(data.expires_at === null ? {} : { due: ['ever', data.expires_at.slice(0, 10)] }),
    },
    data,
  })
  show(text, terminal)
}

const emptyDraft = (nowMs: number) => ({
  kind: kinds.apiKey as string,
  id: timeOrderedId(nowMs),
  organisation_id: firstOrganisationId,
  slug: null,
  status: 'active',
  created_at: nowMs,
  last_updated_at: nowMs,
  version: 0,
  keys: [],
})

function createSecret(prefix: string, version: number): { text: string; secret: Data['secrets'][number] } {
  const text = createKey(prefix)
  const hash = hashOf('sha256', text)
  const ends = { first: text.slice(0, 3), last: text.slice(-4) }
  return { text, secret: { key_version: version, hash, prefix, ...ends, ends_at: null } }
}

async function findWorkspace(documents: Documents, slug: string): Promise<string> {
  const found = await documents.findByKey(kinds.workspace, slugKey(firstOrganisationId, slug))
  if (found === null && slug !== 'default') {
    const order = { sort: 'created_at', order: 'asc' } as const
    const { documents: all } = await documents.list(
      kinds.workspace,
      { statuses: live },
      { ...order, offset: 0, limit: pageSize },
    )
    const known = all.flatMap(({ slug: other }) => other ?? [])
    throw new Error(unknownName({ what: 'workspace', written: slug, known }))
  }
  return found?.id ?? defaultWorkspaceId
}

async function list({ documents, terminal }: StoredKeysCall): Promise<void> {
  const workspaces = new Map<string, string>()
  const rows: string[][] = []
  for await (const { id, name, status, workspace_id: workspaceId, data } of allKeys(documents)) {
    if (workspaceId !== null && !workspaces.has(workspaceId)) {
      const workspace = await documents.get(kinds.workspace, workspaceId)
      workspaces.set(workspaceId, workspace?.slug ?? workspaceId)
    }
    const place = workspaceId === null ? '' : (workspaces.get(workspaceId) ?? '')
    rows.push([id, name ?? '', data.type, place, status, data.scopes.join(','), data.expires_at ?? ''])
  }
  terminal.out(table(['ID', 'NAME', 'CLASS', 'WORKSPACE', 'STATUS', 'SCOPES', 'EXPIRES'], rows))
}

async function* allKeys(documents: Documents): AsyncIterable<KeyDocument> {
  for (let offset = 0; ; offset += pageSize) {
    const order = { sort: 'created_at', order: 'asc' } as const
    const page = await typedDocuments(documents).list(
      kinds.apiKey,
      { statuses: live },
      { ...order, offset, limit: pageSize },
    )
    yield* page.documents
    if (page.documents.length < pageSize) return
  }
}

/** Finds a key by its id, or by a unique name. */
async function findKey(documents: Documents, name: string): Promise<KeyDocument> {
  const found: KeyDocument[] = []
  const known = new Set<string>()
  for await (const key of allKeys(documents)) {
    if (key.name !== null) known.add(key.name)
    if (key.id === name) return key
    if (key.name === name) found.push(key)
  }
  const [key] = found
  if (key === undefined) throw new Error(unknownName({ what: 'key', written: name, known }))
  if (found.length > 1) throw new Error(`${found.length} keys are named "${name}": use an id.`)
  return key
}

async function rotate({ documents, keyPrefix, name = '', terminal, nowMs }: StoredKeysCall): Promise<void> {
  const key = await findKey(documents, name)
  const { data } = key
  const [current] = data.secrets
  const isRunning = data.secrets.some(({ ends_at }) => ends_at !== null && Date.parse(ends_at) > nowMs)
  if (isRunning) throw new Error('A rotation of this key is still in its transition period.')
  if (data.expires_at !== null && Date.parse(data.expires_at) <= nowMs)
    throw new Error('The key has expired.')
  const { text, secret } = createSecret(keyPrefix, (current?.key_version ?? 0) + 1)
  const endsAt = new Date(nowMs + transitionMs).toISOString()
  const secrets = [secret, ...(current === undefined ? [] : [{ ...current, ends_at: endsAt }])]
  const due = [...new Set(['ever', endsAt.slice(0, 10), ...(key.attributes.due ?? [])])]
  await commit(documents, 'rotate', {
    ...key,
    last_updated_at: nowMs,
    attributes: { ...key.attributes, due },
    data: { ...data, secrets, last_rotated_at: new Date(nowMs).toISOString(), unread: null },
  })
  show(text, terminal)
  terminal.err(`The previous key works until ${endsAt}.\n`)
}

async function revoke({ documents, name = '', terminal, nowMs }: StoredKeysCall): Promise<void> {
  const key = await findKey(documents, name)
  await commit(documents, 'delete', {
    ...key,
    status: 'archived',
    last_updated_at: nowMs,
    attributes: { type: key.attributes.type ?? [], user_id: key.attributes.user_id ?? [] },
    data: { ...key.data, unread: null },
  })
  terminal.err(`"${key.name}" (${key.id}) is revoked.\n`)
}

/** Commits the change together with its audit record. */
async function commit(documents: Documents, action: string, key: KeyDocument): Promise<void> {
  const { version, data, ...rest } = key
  const keys = key.status === 'archived' ? [] : data.secrets.map(({ hash }) => hashKeyOf(hash))
  const document: DocumentDraft = { ...rest, keys, data }
  const record = {
    method: null,
    uri: null,
    request_id: null,
    action,
    resource_type: 'api-key',
    resource_id: key.id,
    user_id: null,
    user_type: 'system',
    changes: {},
    request_body: null,
    query_params: null,
    response_status_code: 200,
    client_ip: null,
  }
  const writes: DocumentWrite[] = [{ op: 'put', document, expected: version }]
  const events = eventsOf({
    organisationId: key.organisation_id ?? firstOrganisationId,
    nowMs: key.last_updated_at,
    writes,
    note: { action, resource_type: 'api-key', resource_id: key.id },
  })
  await documents.commit([
    ...writes,
    ...events,
    {
      op: 'put',
      isQuiet: true,
      document: {
        ...emptyDraft(key.last_updated_at),
        kind: kinds.audit,
        organisation_id: key.organisation_id,
        workspace_id: key.workspace_id,
        name: null,
        attributes: {
          action: [action],
          resource_type: ['api-key'],
          resource_id: [key.id],
          user_type: ['system'],
          response_status_code: ['200'],
        },
        data: record,
      },
    },
  ])
}

function show(key: string, terminal: Terminal): void {
  terminal.err('The key is shown only this once; the store contains only its hash.\n')
  terminal.out(`${key}\n`)
}
