/**
 * Tokens of an integration's own OAuth client (RFC 6749, section 4.4): concurrent calls share one request, and a token
 * is cached while it is valid.
 */
import { hash } from 'node:crypto'
import { GatewayError, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import type { Integration } from '../directory.ts'
import { readTokens } from './connections.ts'
import { discover } from './discovery.ts'
import { clientProof, postForm } from './http.ts'

interface Known {
  token: string
  until: number
}

export interface ClientTokens {
  /** @param refused a token that the upstream has rejected */
  get(integration: Integration, configurations: JsonObject, refused: string | null): Promise<string>
}

const marginMs = 30_000
const unsaidMs = 300_000
const maxKnown = 5000

export function createClientTokens(context: ServiceContext<'checkUrl' | 'fetch' | 'now'>): ClientTokens {
  const known = new Map<string, Known>()
  const asking = new Map<string, Promise<string>>()

  async function ask(
    key: string,
    integration: Integration,
    { oauth_metadata: written }: JsonObject,
  ): Promise<string> {
    const client = isObject(written) ? written : {}
    const { client_id: id, client_secret: secret, scope, token_endpoint_auth_method: method } = client
    if (typeof id !== 'string' || typeof secret !== 'string')
      throw new GatewayError(
        'upstream_error',
        'The integration has no OAuth client: set oauth_metadata.client_id.',
      )
    const server = await discover(context, integration)
    const form: Record<string, string> = { grant_type: 'client_credentials', resource: server.resource }
    if (typeof scope === 'string' && scope !== '') form.scope = scope
    const proof = clientProof({ id, secret, method: typeof method === 'string' ? method : null })
    const { status, json } = await postForm(context, server.tokenEndpoint, {
      form: { ...form, ...proof.form },
      headers: proof.headers,
    })
    const tokens = status === 200 ? readTokens(json, context.now()) : null
    if (tokens === null)
      throw new GatewayError(
        'upstream_invalid_response',
        `The authorization server issued no token (status ${status}).`,
      )
    if (known.size >= maxKnown) known.clear()
    known.set(key, { token: tokens.accessToken, until: tokens.expiresAt ?? context.now() + unsaidMs })
    return tokens.accessToken
  }

  return {
    async get(integration, configurations, refused) {
      const key = keyOf(integration, configurations)
      const found = known.get(key)
      if (found !== undefined && found.token !== refused && found.until - marginMs > context.now())
        return found.token
      const pending = asking.get(key)
      if (pending !== undefined) return pending
      const made = ask(key, integration, configurations).finally(() => asking.delete(key))
      asking.set(key, made)
      return made
    },
  }
}

/** A token is valid as long as the upstream and the client stay the same. */
const keyOf = ({ id, data }: Integration, { oauth_metadata }: JsonObject): string =>
  hash('sha256', JSON.stringify([id, data.url, oauth_metadata ?? null]), 'base64url')
