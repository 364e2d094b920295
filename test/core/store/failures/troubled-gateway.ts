/** A gateway whose database servers a test can break, one upstream, and keys with and without limits. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey, chat, startGateway, type TestGateway } from '../../../support/gateway.ts'
import { type RequestLine, readRequestLine } from '../../../support/request-line.ts'
import { type Reply, readReply } from '../../../support/scene.ts'
import { openUpstream, type Upstream } from '../../../support/upstream.ts'

export interface TroubledGateway {
  gateway: TestGateway
  upstream: Upstream
  /** A chat completion with this key, by the saved config of this name. */
  ask(key: string, config?: string, content?: string): Promise<Reply>
  /** A management call with this key. */
  manage(key: string, line: RequestLine, body?: unknown): Promise<Reply>
  /** The sum of a metric's values over its labels. */
  metric(name: string): Promise<number>
  stop(): Promise<void>
}

/** Keys of the config file. */
export const keys = {
  plain: 'gw-plain-0123456789',
  rated: 'gw-rated-0123456789',
  budgeted: 'gw-budgeted-0123456789',
}
export const ratePerDay = 5

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`

function fileConfig(upstream: Upstream): Record<string, unknown> {
  const scopes = ['completions.write']
  return {
    providers: { main: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
    configs: {
      plain: { provider: '@main' },
      cached: { provider: '@main', cache: { mode: 'simple' } },
      guarded: { provider: '@main', cb_config: { failure_threshold: 2, cooldown_interval: 60_000 } },
    },
    api_keys: [
      { name: 'plain', key_hash: hashOf(keys.plain), scopes },
      {
        name: 'rated',
        key_hash: hashOf(keys.rated),
        scopes,
        rate_limits: { type: 'requests', unit: 'rpd', value: ratePerDay },
      },
      {
        name: 'budgeted',
        key_hash: hashOf(keys.budgeted),
        scopes,
        usage_limits: { type: 'tokens', credit_limit: 1_000_000 },
      },
    ],
  }
}

/** Opens the gateway over these stores; null: SQLite in its own directory, and no Redis. */
export async function openTroubled(stores: {
  storeUrl: string | null
  redisUrl: string | null
}): Promise<TroubledGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-trouble-'))
  const upstream = await openUpstream()
  const gateway = await startGateway(fileConfig(upstream), {
    environment: {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_DATA_DIR: directory,
      ...(stores.storeUrl === null ? {} : { GATEWAY_STORE_URL: stores.storeUrl }),
      ...(stores.redisUrl === null ? {} : { GATEWAY_REDIS_URL: stores.redisUrl }),
    },
  })
  const call = async (
    key: string,
    line: RequestLine,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> },
  ) => {
    const { method, path } = readRequestLine(line)
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'x-gateway-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return readReply(response)
  }
  return {
    gateway,
    upstream,
    ask: (key, config = 'plain', content = 'hello') =>
      call(key, 'POST /v1/chat/completions', {
        body: chat(content),
        headers: { 'x-gateway-config': config },
      }),
    manage: (key, line, body) => call(key, line, { body }),
    async metric(name) {
      const text = await (await fetch(`${gateway.url}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async stop() {
      await gateway.stop()
      await upstream.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
