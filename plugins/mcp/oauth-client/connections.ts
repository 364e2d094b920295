/**
 * Connections of users to upstreams: their tokens are stored encrypted, renewed by one process at a time, and revoked
 * upstream and erased when a connection ends.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  type DocumentDraft,
  GatewayError,
  isGatewayError,
  type JsonObject,
  type ServiceContext,
  type StoredDocument,
} from '@gateway/contract'
import { recordOf, timeOrderedId } from '@gateway/domain'
import { clientProof, postForm } from './http.ts'

type ConnectionData = {
  server_id: string
  integration_id: string
  user_id: string
  scopes: string[]
  /** Milliseconds since the epoch. Null: unknown. */
  expires_at: number | null
  token_endpoint: string
  revocation_endpoint: string | null
  resource: string
  /** The origin of the integration's URL when the user consented. Absent in connections stored by older versions. */
  upstream?: string
  client_id: string
  /** The client authentication method. Absent: the secret in the form. */
  client_method?: string | null
  /** `{access_token, refresh_token?, client_secret?}`, as one JSON text. */
  sealed: string
}

export type Connection = StoredDocument<ConnectionData>

/** The origin that may receive a connection's tokens. */
export const upstreamOf = ({ data: { upstream, resource } }: Pick<Connection, 'data'>): string =>
  upstream ?? (URL.canParse(resource) ? new URL(resource).origin : '')

interface Secrets {
  access_token: string
  refresh_token?: string
  client_secret?: string
}

export const connectionKind = 'mcp_connection'
const keyOf = (serverId: string, userId: string) => `connection:${serverId}/${userId}`

export interface Connections {
  find(serverId: string, userId: string): Promise<Connection | null>
  /** The connection for any server of an integration. */
  findAny(integrationId: string, userId: string): Promise<Connection | null>
  /** The connections of a server: of one user, or of all. */
  list(
    serverId: string,
    userId: string | null,
    page: { offset: number; limit: number },
  ): Promise<{ total: number; documents: Connection[] }>
  put(
    place: { organisationId: string; workspaceId: string },
    data: Omit<ConnectionData, 'sealed'>,
    secrets: Secrets,
  ): Promise<void>
  /** A token that is valid now: renewed when it is about to expire, or when the upstream has rejected the given one. */
  accessToken(connection: Connection, refused: string | null): Promise<string>
  /** Revokes the connection upstream if possible, and erases it. */
  end(connection: Connection): Promise<void>
  /** The same for some of the connections that were archived with their user. Returns how many. */
  endArchived(): Promise<number>
}

type Context = ServiceContext<'documents' | 'fetch' | 'log' | 'now' | 'sealer' | 'shared'>

/** A token is renewed this long before it expires. */
const marginMs = 30_000
const leaseMs = 30_000
const lookMs = 100

export function createConnections(context: Context): Connections {
  const { documents, shared } = context
  const renewing = new Map<string, Promise<string>>()

  const read = async (id: string) => (await documents.get(connectionKind, id)) as Connection | null
  const open = (connection: Pick<Connection, 'kind' | 'id' | 'data'>): Secrets =>
    JSON.parse(context.sealer.open(connection.data.sealed, recordOf(connection))) as Secrets

  function sealed(id: string, data: Omit<ConnectionData, 'sealed'>, secrets: Secrets): ConnectionData {
    return {
      ...data,
      sealed: context.sealer.seal(JSON.stringify(secrets), recordOf({ kind: connectionKind, id })),
    }
  }

  const isFresh = ({ data }: Connection, refused: string | null, token: string) =>
    token !== refused && (data.expires_at === null || data.expires_at - marginMs > context.now())

  /** The lease holder renews the token; the others wait for its result. */
  async function renew(connection: Connection, refused: string | null): Promise<string> {
    const lease = `mcp-refresh:${connection.id}`
    const endsAt = context.now() + leaseMs
    while (!(await shared.acquire(lease, leaseMs))) {
      await wait(lookMs)
      const now = await read(connection.id)
      if (now === null) throw gone()
      const { access_token } = open(now)
      if (isFresh(now, refused, access_token)) return access_token
      if (context.now() > endsAt) break
    }
    try {
      const now = await read(connection.id)
      if (now === null) throw gone()
      const secrets = open(now)
      if (isFresh(now, refused, secrets.access_token)) return secrets.access_token
      return await renewOnce(now, secrets)
    } finally {
      await shared.delete(lease)
    }
  }

  async function renewOnce(connection: Connection, secrets: Secrets): Promise<string> {
    const { data } = connection
    if (secrets.refresh_token === undefined) {
      await remove(connection)
      throw gone()
    }
    const proof = proofOf(data, secrets)
    const grant = {
      grant_type: 'refresh_token',
      refresh_token: secrets.refresh_token,
      resource: data.resource,
    }
    const { status, json } = await postForm(context, data.token_endpoint, {
      form: { ...grant, ...proof.form },
      headers: proof.headers,
    })
    const token = readTokens(json, context.now())
    if (status !== 200 || token === null) {
      if (status >= 500)
        throw new GatewayError('upstream_unreachable', 'The authorization server did not renew the token.')
      await remove(connection)
      throw gone()
    }
    const { version, ...draft } = connection
    const { sealed: _, ...kept } = data
    const next = sealed(
      connection.id,
      { ...kept, expires_at: token.expiresAt, scopes: token.scopes ?? data.scopes },
      {
        ...secrets,
        access_token: token.accessToken,
        ...(token.refreshToken === null ? {} : { refresh_token: token.refreshToken }),
      },
    )
    await documents.commit([
      {
        op: 'put',
        document: { ...draft, data: { ...next } as JsonObject, last_updated_at: context.now() },
        expected: version,
      },
    ])
    return token.accessToken
  }

  async function end(connection: Connection): Promise<void> {
    const { revocation_endpoint: url } = connection.data
    if (url !== null) {
      const secrets = open(connection)
      const { access_token, refresh_token } = secrets
      const proof = proofOf(connection.data, secrets)
      const form = {
        token: refresh_token ?? access_token,
        token_type_hint: refresh_token === undefined ? 'access_token' : 'refresh_token',
        ...proof.form,
      }
      try {
        await postForm(context, url, { form, headers: proof.headers })
      } catch (error) {
        if (!isGatewayError(error)) throw error
        const reason = error.code
        context.log.warn({ connection: connection.id, reason }, 'failed to revoke a token upstream')
      }
    }
    await remove(connection)
  }

  const remove = (connection: Connection) =>
    documents.commit([{ op: 'remove', kind: connectionKind, id: connection.id }])

  return {
    find: async (serverId, userId) =>
      (await documents.findByKey(connectionKind, keyOf(serverId, userId))) as Connection | null,
    async findAny(integrationId, userId) {
      const attributes = { integration_id: [integrationId], user_id: [userId] }
      const { documents: found } = await documents.list(
        connectionKind,
        { attributes },
        { offset: 0, limit: 1 },
      )
      return (found[0] ?? null) as Connection | null
    },
    async list(serverId, userId, page) {
      const attributes = { server_id: [serverId], ...(userId === null ? {} : { user_id: [userId] }) }
      const found = await documents.list(connectionKind, { attributes }, page)
      return { total: found.total, documents: found.documents as Connection[] }
    },
    async put({ organisationId, workspaceId }, data, secrets) {
      const before = (await documents.findByKey(
        connectionKind,
        keyOf(data.server_id, data.user_id),
      )) as Connection | null
      const now = context.now()
      const id = before?.id ?? timeOrderedId(now)
      const document: DocumentDraft<JsonObject> = {
        kind: connectionKind,
        id,
        organisation_id: organisationId,
        workspace_id: workspaceId,
        slug: null,
        name: null,
        status: 'active',
        created_at: before?.created_at ?? now,
        last_updated_at: now,
        keys: [keyOf(data.server_id, data.user_id)],
        attributes: {
          server_id: [data.server_id],
          user_id: [data.user_id],
          integration_id: [data.integration_id],
        },
        data: { ...sealed(id, data, secrets) } as JsonObject,
      }
      await documents.commit([{ op: 'put', document }])
    },
    async accessToken(connection, refused) {
      const { access_token } = open(connection)
      if (isFresh(connection, refused, access_token)) return access_token
      const known = renewing.get(connection.id)
      if (known !== undefined) return known
      const made = renew(connection, refused).finally(() => renewing.delete(connection.id))
      renewing.set(connection.id, made)
      return made
    },
    end,
    async endArchived() {
      const filter = { statuses: ['archived'] }
      const { documents: found } = await documents.list(connectionKind, filter, { offset: 0, limit: 100 })
      for (const connection of found as Connection[]) await end(connection)
      return found.length
    },
  }
}

const proofOf = ({ client_id, client_method }: ConnectionData, { client_secret }: Secrets) =>
  clientProof({ id: client_id, secret: client_secret ?? null, method: client_method ?? null })

/** The user must consent again. */
export class ConnectionGone extends Error {}
const gone = () => new ConnectionGone('The connection has ended.')

export interface ReadTokens {
  accessToken: string
  refreshToken: string | null
  expiresAt: number | null
  scopes: string[] | null
}

/** The answer of a token endpoint, or null if it is invalid. */
export function readTokens(json: JsonObject, nowMs: number): ReadTokens | null {
  const { access_token, refresh_token, expires_in, scope } = json
  if (typeof access_token !== 'string' || access_token === '') return null
  return {
    accessToken: access_token,
    refreshToken: typeof refresh_token === 'string' ? refresh_token : null,
    expiresAt: typeof expires_in === 'number' && expires_in > 0 ? nowMs + expires_in * 1000 : null,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : null,
  }
}
