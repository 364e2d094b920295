/** Two replicas as an operator runs them, over one Postgres and one Redis, with a provider of the soak's own. */
import { readdirSync, readFileSync } from 'node:fs'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from '../core/boot/gateway-process.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type RedisServer, startRedis } from '../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type SoakProvider, startProvider } from './provider.ts'

export const adminKey = 'soak-admin-key-0123456789'
const encryptionKey = Buffer.alloc(32, 5).toString('base64')
const probe = new URL('./heap-probe.js', import.meta.url).href

interface Node {
  url: string
  process: GatewayProcess
  folder: Folder
  /** Stops it like an operator, and starts it again on the same port. */
  restart(): Promise<void>
  /** Rewrites the config file with another number, and reloads it. */
  reload(generation: number): Promise<void>
}

export interface Cluster {
  nodes: readonly Node[]
  provider: SoakProvider
  postgres: PostgresServer
  redis: RedisServer
  /** The proxy in front of Redis, to cut connections without losing its data. */
  redisLine: TcpProxy
  close(): Promise<void>
}

const breaker = { failure_threshold: 1000, cooldown_interval: 30_000 }

function configOf(provider: SoakProvider, generation: number): Record<string, unknown> {
  const leaf = { provider: '@mock', override_params: { model: 'soak' } }
  return {
    providers: { mock: { provider: 'openai', api_key: 'sk-soak', custom_host: provider.url } },
    configs: {
      plain: leaf,
      cached: { ...leaf, cache: { mode: 'simple', max_age: 60 } },
      rough: {
        strategy: { mode: 'fallback' },
        retry: { attempts: 1 },
        targets: [
          { ...leaf, cb_config: breaker },
          { ...leaf, cb_config: breaker },
        ],
      },
      [`generation-${generation}`]: leaf,
    },
    logs: { bodies: 'metadata' },
    server: { shutdown_grace_ms: 10_000 },
  }
}

async function startNode(
  provider: SoakProvider,
  environment: Record<string, string>,
): Promise<Node & { stop(): Promise<void> }> {
  const folder = await makeFolder(configOf(provider, 0))
  const settings = {
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_ENCRYPTION_KEY: encryptionKey,
    NODE_OPTIONS: `--import ${probe}`,
    SOAK_PROBE_DIR: folder.path,
    ...environment,
  }
  const start = (port: string) => runGateway(folder, ['--port', port], settings)
  let gateway = start('0')
  const url = await listening(gateway)
  return {
    url,
    folder,
    get process() {
      return gateway
    },
    async restart() {
      gateway.signal('SIGTERM')
      await gateway.exited
      gateway = start(new URL(url).port)
      await listening(gateway)
    },
    async reload(generation) {
      await folder.writeConfig(configOf(provider, generation))
      gateway.signal('SIGHUP')
    },
    async stop() {
      if (!gateway.hasExited()) gateway.signal('SIGTERM')
      await Promise.race([gateway.exited, new Promise((resolve) => setTimeout(resolve, 15_000).unref())])
      await discard(gateway, folder)
    },
  }
}

export async function startCluster(): Promise<Cluster> {
  const [postgres, redis, provider] = await Promise.all([startPostgres(), startRedis(), startProvider()])
  const redisLine = await startTcpProxy(redis.port)
  const environment = {
    GATEWAY_STORE_URL: await postgres.createDatabase(),
    GATEWAY_REDIS_URL: `redis://127.0.0.1:${redisLine.port}`,
  }
  const nodes = [await startNode(provider, environment), await startNode(provider, environment)]
  return {
    nodes,
    provider,
    postgres,
    redis,
    redisLine,
    async close() {
      for (const node of nodes) await node.stop()
      await Promise.all([redisLine.close(), postgres.close(), redis.stop(), provider.close()])
    },
  }
}

/** The process and all that it started. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => family(Number(child)))]
}

/** Resident memory in MB. */
export const memoryOf = (pid: number): number =>
  family(pid).reduce((sum, each) => {
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${each}/status`, 'utf8'))
    return sum + Number(resident?.[1] ?? 0) / 1024
  }, 0)

/** Open descriptors. */
export const descriptorsOf = (pid: number): number =>
  family(pid).reduce((sum, each) => sum + readdirSync(`/proc/${each}/fd`).length, 0)
