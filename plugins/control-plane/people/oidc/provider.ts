/**
 * The metadata of identity providers (OpenID Connect Discovery), fetched through the host guard and cached for ten
 * minutes. https://openid.net/specs/openid-connect-discovery-1_0.html Errors: `dependency_unavailable`,
 * `host_not_allowed`.
 */
import { GatewayError, isGatewayError, type ServiceContext } from '@gateway/contract'
import type * as OpenidClient from 'openid-client'
import type { OidcSettings } from './settings.ts'

type Client = typeof OpenidClient

let loading: Promise<Client> | null = null

/** Loaded with the first sign-in, because a start should not wait for it. */
export function loadClient(): Promise<Client> {
  loading ??= import('openid-client')
  return loading
}

const keptForMs = 600_000
const maxKept = 1_000
const timeoutSeconds = 10
const maxAnswerBytes = 1_048_576

interface Kept {
  until: number
  configuration: Promise<OpenidClient.Configuration>
}

const keptBy = new WeakMap<object, Map<string, Kept>>()

export function providerOf(
  context: ServiceContext<'fetch' | 'now' | 'shared'>,
  settings: OidcSettings,
): Promise<OpenidClient.Configuration> {
  const kept = keptBy.get(context.shared) ?? new Map<string, Kept>()
  keptBy.set(context.shared, kept)
  // A changed secret needs a new client.
  const key = JSON.stringify(settings)
  const known = kept.get(key)
  if (known !== undefined && known.until > context.now()) return known.configuration
  for (const old of kept.keys()) {
    if (kept.size < maxKept) break
    kept.delete(old)
  }
  const configuration = discover(context, settings)
  kept.set(key, { until: context.now() + keptForMs, configuration })
  configuration.catch(() => kept.delete(key))
  return configuration
}

async function discover(
  context: ServiceContext<'fetch'>,
  settings: OidcSettings,
): Promise<OpenidClient.Configuration> {
  const client = await loadClient()
  // The host guard decides whether a host may be called, with TLS or without.
  const execute = settings.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
  try {
    return await client.discovery(
      new URL(settings.issuer),
      settings.clientId,
      undefined,
      authentication(client, settings),
      { execute, timeout: timeoutSeconds, [client.customFetch]: fetchThrough(context) },
    )
  } catch (error) {
    throw toGatewayError(error)
  }
}

function authentication(
  client: Client,
  { clientSecret, tokenEndpointAuthMethod: method }: OidcSettings,
): OpenidClient.ClientAuth {
  if (clientSecret === null || method === 'none') return client.None()
  return method === 'client_secret_post'
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret)
}

const fetchThrough =
  (context: ServiceContext<'fetch'>): OpenidClient.CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await context.fetch({
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers,
      body: body === null || body === undefined ? undefined : String(body),
      maxBytes: maxAnswerBytes,
    })
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : new Uint8Array(answer.bytes), {
      status: answer.status,
      headers: answer.headers,
    })
  }

/** The gateway's own error inside one of the library; otherwise an error of the identity provider. */
function toGatewayError(error: unknown): GatewayError {
  const own = gatewayErrorIn(error)
  if (own !== null) return own
  const reason = error instanceof Error ? error.message : String(error)
  return new GatewayError('dependency_unavailable', `The identity provider cannot be used: ${reason}`, {
    cause: error,
  })
}

const maxCauses = 5

export function gatewayErrorIn(error: unknown): GatewayError | null {
  let one: unknown = error
  for (let depth = 0; depth < maxCauses; depth += 1) {
    if (isGatewayError(one)) return one
    if (!(one instanceof Error)) return null
    one = one.cause
  }
  return null
}
