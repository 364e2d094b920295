/** Calls authorization servers of upstreams through the host guard and reads JSON. */
import { GatewayError, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'

type Context = ServiceContext<'fetch'>

const unavailable = (message: string) => new GatewayError('upstream_unreachable', message)

/** The JSON object at a URL, or null if the answer is not one. Errors: `host_not_allowed`, `upstream_unreachable`. */
export async function getJson({ fetch }: Context, url: string): Promise<JsonObject | null> {
  const { status, bytes } = await reach(() =>
    fetch({
      method: 'GET',
      url,
      headers: { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
    }),
  )
  return status === 200 ? parse(bytes) : null
}

interface Posted {
  status: number
  json: JsonObject
}

interface PostFormOptions {
  form: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
}

export async function postForm(
  { fetch }: Context,
  url: string,
  { form, headers = {} }: PostFormOptions,
): Promise<Posted> {
  const { status, bytes } = await reach(() =>
    fetch({
      method: 'POST',
      url,
      headers: {
        ...headers,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(form).toString(),
    }),
  )
  return { status, json: parse(bytes) ?? {} }
}

export interface OauthClient {
  id: string
  /** Null: a public client. */
  secret: string | null
  /** `client_secret_basic`; otherwise the secret is in the form. */
  method: string | null
}

/** How a client authenticates at a token or revocation endpoint (RFC 6749, section 2.3.1). */
export function clientProof({ id, secret, method }: OauthClient): {
  form: Record<string, string>
  headers: Record<string, string>
} {
  if (secret === null) return { form: { client_id: id }, headers: {} }
  if (method !== 'client_secret_basic') return { form: { client_id: id, client_secret: secret }, headers: {} }
  const encoded = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  return { form: {}, headers: { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` } }
}

export async function postJson({ fetch }: Context, url: string, body: JsonObject): Promise<Posted> {
  const { status, bytes } = await reach(() =>
    fetch({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  return { status, json: parse(bytes) ?? {} }
}

async function reach<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'dependency_unavailable')
      throw unavailable('The MCP server or its authorization server cannot be reached.')
    throw error
  }
}

function parse(bytes: Buffer): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'))
    return isObject(parsed) ? (parsed as JsonObject) : null
  } catch {
    return null
  }
}
