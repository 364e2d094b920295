/** Management during the traffic: objects that are written, keys, and their state at the end. */
import { setTimeout as wait } from 'node:timers/promises'
import { adminKey, type Cluster } from './cluster.ts'

export interface Key {
  id: string
  key: string
}

/** An acknowledged write of a config: its slug, and the newest number that was acknowledged. */
export interface Written {
  slug: string
  number: number
  /** Numbers that were sent and not acknowledged: they may have been written. */
  inDoubt: Set<number>
}

const tries = 60

/** Retries until the gateway answers 200: stores recover. */
export async function manage(
  { nodes }: Pick<Cluster, 'nodes'>,
  method: string,
  { path, body }: { path: string; body?: unknown },
): Promise<Record<string, unknown>> {
  let last = ''
  for (let index = 0; index < tries; index += 1) {
    const node = nodes[index % nodes.length]
    try {
      const { status, text } = await send(`${node?.url}${path}`, method, body)
      last = `${status} ${text.slice(0, 200)}`
      if (status === 200) return JSON.parse(text) as Record<string, unknown>
    } catch (error) {
      last = String(error)
    }
    await wait(500)
  }
  throw new Error(`${method} ${path}: ${last}`)
}

async function send(url: string, method: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(url, {
    method,
    headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  return { status: response.status, text: await response.text() }
}

export async function makeKey(cluster: Cluster, name: string): Promise<Key> {
  const { id, key } = await manage(cluster, 'POST', {
    path: '/v1/api-keys/workspace/service',
    body: {
      name,
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: [{ type: 'tokens', credit_limit: 1_000_000_000 }],
    },
  })
  return { id: String(id), key: String(key) }
}

/** The old secret stays valid for half an hour, the new one is valid immediately. */
export async function rotateKey(cluster: Cluster, { id }: Key): Promise<string> {
  const { key } = await manage(cluster, 'POST', { path: `/v1/api-keys/${id}/rotate`, body: {} })
  return String(key)
}

/** Configs at most: the data that replicas keep must not grow while their memory is measured. */
const mostConfigs = 60

/** Writes numbers into configs, first into new ones, then into these in turn, until it is stopped. */
export async function writeConfigs({ nodes }: Cluster, stop: AbortSignal): Promise<Written[]> {
  const written: Written[] = []
  const config = (number: number) => ({ provider: '@mock', override_params: { seed: number } })
  for (let count = 1; !stop.aborted; count += 1) {
    const node = nodes[count % nodes.length]
    const isNew = written.length < mostConfigs && count % 3 === 0
    const known = isNew ? undefined : written[count % written.length]
    const one = known ?? { slug: `soak-${count}`, number: 0, inDoubt: new Set<number>() }
    const body =
      known === undefined
        ? { name: one.slug, slug: one.slug, workspace_id: 'default', config: config(count) }
        : { config: config(count) }
    one.inDoubt.add(count)
    try {
      const path = known === undefined ? '/v1/configs' : `/v1/configs/${one.slug}`
      const { status } = await send(`${node?.url}${path}`, known === undefined ? 'POST' : 'PUT', body)
      if (status === 200) {
        one.inDoubt.clear()
        one.number = count
        if (known === undefined) written.push(one)
      }
    } catch {
      // Not acknowledged: it may have been written or not.
    }
    await wait(250)
  }
  return written
}
