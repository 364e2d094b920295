/** The API key of a coding agent, over the management API of a running gateway. */
import { isObject, type JsonObject } from '@gateway/contract'

const timeoutMs = 10_000

export interface KeyRequest {
  url: string
  adminKey: string
  name: string
  workspace: string
  budgetUsd: number
  /** The slug of the provider for plain model names; null if the agent specifies the provider in its model. */
  provider: string | null
}

export interface CreatedKey {
  id: string
  key: string
  configId: string | null
}

interface Sent {
  method?: string
  key: string
  body?: JsonObject
}

interface Reply {
  status: number
  body: JsonObject
}

/** Throws if the gateway does not answer. */
async function send(url: string, path: string, { method = 'GET', key, body }: Sent): Promise<Reply> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`${url} does not answer (${error instanceof Error ? error.message : String(error)}).`)
  })
  const read: unknown = await answer.json().catch(() => null)
  return { status: answer.status, body: isObject(read) ? read : {} }
}

function failure(url: string, { status, body }: Reply): Error {
  const message = isObject(body.error) ? String(body.error.message) : ''
  return new Error(`${url} answered ${status}. ${message}`.trim())
}

/** Creates a key with a budget, and the config that selects its provider. Errors: the gateway's error answer. */
export async function createAgentKey(request: KeyRequest): Promise<CreatedKey> {
  const { url, adminKey, name, workspace, budgetUsd, provider } = request
  const create = async (path: string, body: JsonObject) => {
    const reply = await send(url, path, { method: 'POST', key: adminKey, body })
    if (reply.status !== 200) throw failure(url, reply)
    return reply.body
  }
  const config =
    provider === null
      ? null
      : await create('/v1/configs', { name, workspace_id: workspace, config: { provider: `@${provider}` } })
  const configId = config === null ? null : String(config.id)
  const { id, key } = await create('/v1/api-keys/workspace/service', {
    name,
    workspace_id: workspace,
    scopes: ['completions.write', 'models.list'],
    usage_limits: { credit_limit: budgetUsd, periodic_reset: 'monthly' },
    ...(configId === null ? {} : { defaults: { config_id: configId } }),
  })
  return { id: String(id), key: String(key), configId }
}

interface AdminAccess {
  url: string
  adminKey: string
}

/** Switches the config of an agent's key to another provider. */
export async function moveConfig(
  { url, adminKey }: AdminAccess,
  configId: string,
  provider: string,
): Promise<void> {
  const body = { config: { provider: `@${provider}` } }
  const reply = await send(url, `/v1/configs/${configId}`, { method: 'PUT', key: adminKey, body })
  if (reply.status !== 200) throw failure(url, reply)
}

/** The reason why a key cannot be used; null if it can be used. Throws if the gateway does not answer. */
export async function refusalOf(url: string, key: string): Promise<string | null> {
  const reply = await send(url, '/v1/auth/self', { key })
  if (reply.status !== 200) return failure(url, reply).message
  const { scopes } = reply.body
  const isAllowed = Array.isArray(scopes) && (scopes.includes('completions.write') || scopes.includes('*'))
  return isAllowed ? null : `The key does not have the scope completions.write at ${url}.`
}

/** Revokes a key and removes its config. A key that no longer exists counts as revoked. */
export async function revokeKey(
  { url, adminKey }: AdminAccess,
  id: string,
  configId: string | null,
): Promise<void> {
  const paths = [`/v1/api-keys/${id}`, ...(configId === null ? [] : [`/v1/configs/${configId}`])]
  for (const path of paths) {
    const reply = await send(url, path, { method: 'DELETE', key: adminKey })
    if (reply.status !== 200 && reply.status !== 404) throw failure(url, reply)
  }
}
