/** Tokens of an integration's own client (RFC 6749, section 4.4): one request for concurrent calls, kept while they are valid. */
import { GatewayError, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import type { Integration } from '../directory.ts'
import { readTokens } from './connections.ts'
import { discover } from './discovery.ts'
import { postForm } from './http.ts'

interface Known {
  token: string
  until: number
}

export interface ClientTokens {
  /** @param refused a token that the upstream did not take */
  get(integration: Integration, configurations: JsonObject, refused: string | null): Promise<string>
}

const marginMs = 30_000
const unsaidMs = 300_000

export function createClientTokens(
  context: Pick<ServiceContext, 'fetch' | 'checkUrl' | 'now'>,
): ClientTokens {
  const known = new WeakMap<Integration, Known>()
  const asking = new WeakMap<Integration, Promise<string>>()

  async function ask(integration: Integration, { oauth_metadata: written }: JsonObject): Promise<string> {
    const client = isObject(written) ? written : {}
    const { client_id: id, client_secret: secret, scope, token_endpoint_auth_method: method } = client
    if (typeof id !== 'string' || typeof secret !== 'string')
      throw new GatewayError('upstream_error', 'The integration has no client of its own.')
    const server = await discover(context, integration, null)
    const form: Record<string, string> = { grant_type: 'client_credentials', resource: server.resource }
    if (typeof scope === 'string' && scope !== '') form.scope = scope
    const isBasic = method === 'client_secret_basic'
    const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
    const { status, json } = await postForm(
      context,
      server.tokenEndpoint,
      isBasic ? form : { ...form, client_id: id, client_secret: secret },
      isBasic ? { authorization: `Basic ${basic}` } : {},
    )
    const tokens = status === 200 ? readTokens(json, context.now()) : null
    if (tokens === null)
      throw new GatewayError(
        'upstream_invalid_response',
        `The authorization server gave no token (${status}).`,
      )
    known.set(integration, { token: tokens.accessToken, until: tokens.expiresAt ?? context.now() + unsaidMs })
    return tokens.accessToken
  }

  return {
    async get(integration, configurations, refused) {
      const found = known.get(integration)
      if (found !== undefined && found.token !== refused && found.until - marginMs > context.now())
        return found.token
      const pending = asking.get(integration)
      if (pending !== undefined) return pending
      const made = ask(integration, configurations).finally(() => asking.delete(integration))
      asking.set(integration, made)
      return made
    },
  }
}
