/** Gateways as an operator runs them: each a process in a separate folder, over stores that they may share. */
import { join } from 'node:path'
import {
  discard,
  type GatewayProcess,
  listening,
  makeFolder,
  ownCommand,
  run,
} from '../core/boot/gateway-process.ts'
import { freePort } from './free-port.ts'
import { type RequestLine, readRequestLine } from './request-line.ts'
import { type Reply, readReply } from './scene.ts'
import { until } from './until.ts'

export const replicaAdminKey = 'replica-admin-key-0123456789'
/** The same for all that share a store; for tests only. */
const encryptionKey = Buffer.alloc(32, 7).toString('base64')

export interface Replica {
  url: string
  gateway: GatewayProcess
  /** The folder of its store and its queues. */
  dataFolder: string
  /** A request over a new connection: connections are distributed over the workers. */
  call(
    key: string,
    line: RequestLine,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>
  /** Ends it as a crash does, and starts it again in the same folder, on the same port. */
  crash(): Promise<void>
  /** @param command another version of the gateway, from now on */
  restart(command?: readonly string[]): Promise<void>
  /** Asks it to end, and waits for that. */
  end(): Promise<void>
  stop(): Promise<void>
}

export interface ReplicaOptions {
  config?: Record<string, unknown>
  /** `GATEWAY_STORE_URL`, `GATEWAY_REDIS_URL`. */
  environment?: Record<string, string>
  workers?: number
  /** The gateway of another checkout. */
  command?: readonly string[]
}

export async function startReplica({
  config = {},
  environment = {},
  workers = 1,
  command: first = ownCommand,
}: ReplicaOptions): Promise<Replica> {
  let command = first
  const folder = await makeFolder(config)
  const settings = {
    GATEWAY_ADMIN_KEY: replicaAdminKey,
    GATEWAY_ENCRYPTION_KEY: encryptionKey,
    ...environment,
  }
  // Restarts use the port again: one of the system's choice could be that of another test's connection by then.
  const port = String(await freePort())
  const start = async () => {
    const words = [...command, 'start', '--port', port, '--workers', String(workers)]
    const started = run(folder.path, words, settings)
    const url = await listening(started)
    const count = () => started.logs().filter(({ msg }) => msg === 'listening').length
    await until('all workers listen', () => count() >= workers)
    return { started, url }
  }
  let { started: gateway, url } = await start().catch(async (error: unknown) => {
    await folder.remove()
    throw error
  })
  return {
    get url() {
      return url
    },
    get gateway() {
      return gateway
    },
    dataFolder: join(folder.path, 'data'),
    async call(key, line, { body, headers = {} } = {}) {
      const { method, path } = readRequestLine(line)
      const response = await fetch(url + path, {
        method,
        headers: {
          'x-gateway-api-key': key,
          'content-type': 'application/json',
          connection: 'close',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return readReply(response)
    },
    async crash() {
      gateway.signal('SIGKILL')
      await gateway.exited
    },
    async end() {
      gateway.signal('SIGTERM')
      await gateway.exited
    },
    async restart(next = command) {
      command = next
      ;({ started: gateway, url } = await start())
    },
    async stop() {
      if (!gateway.hasExited()) gateway.signal('SIGTERM')
      await Promise.race([gateway.exited, new Promise((resolve) => setTimeout(resolve, 5000).unref())])
      await discard(gateway, folder)
    },
  }
}
