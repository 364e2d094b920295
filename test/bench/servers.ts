/** The servers that are measured: how each is started, and how a request to it looks. */

import { freePort } from '../support/free-port.ts'
import { type Child, startChild, stopChild, workFolder } from './children.ts'
import { GATEWAY_KEY, type PreparedGateway, prepareGateway, type SavedConfig } from './gateway-config.ts'
import { ROOT, script } from './paths.ts'
import { untilReady } from './ready.ts'
import { REFERENCE_SCRIPT } from './reference-package.ts'

/** `direct` is the mock itself, `koa-unread` the Koa application on its route that reads no body. */
export type ServerName = 'direct' | 'relay' | 'reference' | 'koa' | 'koa-unread' | 'gateway'

/** A server that is up. */
export interface Server {
  name: ServerName
  /** The label of its runs: the name, unless several servers of the same name are compared. */
  label: string
  child: Child
  port: number
  /** The cores that it is pinned to; null: not pinned. */
  cores: readonly number[] | null
  readyMs: number
}

export interface StartOptions {
  mockPort: number
  cores: readonly number[] | null
  /** The number of workers; only the gateway has workers. */
  workers: number
  label: string
  /** The gateway's config file and environment, where they are not the usual ones. */
  prepared?: PreparedGateway
  /** The flags of Node for a gateway, instead of those of its command. */
  nodeFlags?: readonly string[]
}

interface Recipe {
  readyPath: string
  command(port: number, options: StartOptions): Command
}

interface Command {
  /** Default: node. */
  command?: string
  args: string[]
  env?: Record<string, string>
}

const MOCK: Recipe = {
  readyPath: '/',
  command: (port) => ({ args: [script('targets/mock.js'), String(port)] }),
}

const KOA: Recipe = {
  readyPath: '/',
  command: (port) => ({ args: [script('targets/koa-constant.js'), String(port)] }),
}

const RELAY: Recipe = {
  readyPath: '/',
  command: (port, { mockPort }) => ({ args: [script('targets/relay.js'), String(port), String(mockPort)] }),
}

const REFERENCE: Recipe = {
  readyPath: '/',
  command: (port) => ({
    args: ['--import', script('targets/on-loopback.js'), REFERENCE_SCRIPT, `--port=${port}`, '--headless'],
  }),
}

const GATEWAY: Recipe = {
  readyPath: '/readyz',
  command(port, { mockPort, workers, prepared, nodeFlags }) {
    const { file, env } = prepared ?? prepareGateway(workFolder(), mockPort)
    const words = ['start', '--config', file, '--port', String(port), '--workers', String(workers)]
    const command = `${ROOT}core/cli/bin/gateway`
    return nodeFlags === undefined
      ? { command, args: words, env }
      : { args: [...nodeFlags, '--v8-pool-size=1', `${command}.js`, ...words], env }
  },
}

const RECIPES: Record<ServerName, Recipe> = {
  direct: MOCK,
  relay: RELAY,
  reference: REFERENCE,
  koa: KOA,
  'koa-unread': KOA,
  gateway: GATEWAY,
}

/** Starts a server and waits until it is ready; stops it and throws if it does not become ready. */
export async function startServer(name: ServerName, options: StartOptions): Promise<Server> {
  const recipe = RECIPES[name]
  const port = await freePort()
  const child = startChild({ name, cores: options.cores, ...recipe.command(port, options) })
  try {
    const readyMs = await untilReady(child, port, recipe.readyPath)
    return { name, label: options.label, child, port, cores: options.cores, readyMs }
  } catch (error) {
    await stopChild(child)
    throw error
  }
}

/** The path of a request to the server. */
export function pathOf(name: ServerName): string {
  return name === 'koa-unread' ? '/constant' : '/v1/chat/completions'
}

/** The headers that a request to the server needs; `config` is the saved config that the gateway uses. */
export function headersOf(name: ServerName, mockPort: number, config: SavedConfig): Record<string, string> {
  switch (name) {
    case 'gateway':
      return { 'x-gateway-api-key': GATEWAY_KEY, 'x-gateway-config': config }
    case 'reference':
      return {
        authorization: 'Bearer sk-bench',
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${mockPort}/v1`,
      }
    default:
      return { authorization: 'Bearer sk-bench' }
  }
}
