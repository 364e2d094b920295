/** Many concurrent requests by one key with a limit, each on its own connection, distributed over gateways. */
import { Agent, request } from 'node:http'
import { type Replica, replicaAdminKey } from '../support/replica.ts'
import { chatBody } from './requests.ts'

export interface BurstResult {
  /** The number of answers by status; 0 means that none arrived. */
  counts: ReadonlyMap<number, number>
  /** The time from the first request to the last answer. */
  elapsedMs: number
}

/** A stored key with this daily request limit. */
export async function makeLimitedKey(replica: Replica, name: string, limit: number): Promise<string> {
  const made = await replica.call(replicaAdminKey, 'POST /v1/api-keys/workspace/service', {
    body: {
      name,
      workspace_id: 'default',
      scopes: ['completions.write'],
      rate_limits: [{ type: 'requests', unit: 'rpd', value: limit }],
    },
  })
  if (made.status !== 200) throw new Error(`The key of the scenario could not be made: ${made.text}`)
  return String(made.body.key)
}

/** @param config the slug of a config that the gateways have */
export async function askAtOnce(
  replicas: readonly Replica[],
  { key, config, requests }: { key: string; config: string; requests: number },
): Promise<BurstResult> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const headers = {
    'content-type': 'application/json',
    'x-gateway-api-key': key,
    'x-gateway-config': config,
  }
  const counts = new Map<number, number>()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const status = await ask(agent, replicas[index % replicas.length]?.url ?? '', headers)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }),
  )
  const elapsedMs = performance.now() - startedAt
  agent.destroy()
  return { counts, elapsedMs }
}

function ask(agent: Agent, url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
      answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 0))
      answer.on('error', () => resolve(0))
      answer.resume()
    })
    sent.on('error', () => resolve(0))
    sent.end(chatBody({}))
  })
}
