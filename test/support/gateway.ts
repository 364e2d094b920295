/** A gateway in the test's own process, on a free loopback port, with a config file of the test's own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import { type Gateway, type GatewayOptions, openGateway } from '#core/boot/open-gateway'
import { testLogsUrl, testStoreUrl } from './test-store.ts'

export const adminKey = 'test-admin-key-0123456789'

export interface TestGateway extends Gateway {
  configPath: string
  /** Log lines so far, parsed. */
  logs: Record<string, unknown>[]
  /** Writes another config file; `reload()` reads it. */
  writeConfig(config: Record<string, unknown>): Promise<void>
  /** A request with the admin key; JSON in. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** Closes it and removes its files. */
  stop(): Promise<void>
}

/** Loopback is trusted, because upstreams of the test run there. */
const baseConfig = { security: { trusted_hosts: ['127.0.0.0/8', '::1'] } }

export async function startGateway(
  config: Record<string, unknown> = {},
  overrides: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'))
  const configPath = join(directory, 'gateway.json')
  const writeConfig = (next: Record<string, unknown>) =>
    writeFile(configPath, JSON.stringify({ ...baseConfig, ...next }))
  await writeConfig(config)
  const logs: Record<string, unknown>[] = []
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      for (const text of line.toString('utf8').split('\n')) if (text !== '') logs.push(JSON.parse(text))
      done()
    },
  })
  const gateway = await openGateway({
    configPath,
    flags: { host: '127.0.0.1', port: 0 },
    environment: {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_DATA_DIR: directory,
      GATEWAY_STORE_URL: await testStoreUrl(directory),
      ...testLogsUrl(),
    },
    log: pino({ level: 'info', base: null }, sink),
    logRequest: (line) => void logs.push(JSON.parse(JSON.stringify(line))),
    printKey: () => undefined,
    ...overrides,
  })
  const auth = { 'x-gateway-api-key': adminKey }
  return {
    ...gateway,
    configPath,
    logs,
    writeConfig,
    post: (path, body, headers = {}) =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...auth, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(gateway.url + path, { headers: { ...auth, ...headers } }),
    async stop() {
      await gateway.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A chat request's body. */
export function chat(content = 'hello', extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'test-model', messages: [{ role: 'user', content }], ...extra }
}

/** A target that is an upstream of the test, with a separate credential. */
export function target(url: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return { provider: 'openai', api_key: 'sk-test', custom_host: url, ...extra }
}

/** A config for `x-gateway-config`. */
export const configHeader = (config: unknown) => ({ 'x-gateway-config': JSON.stringify(config) })

/** The body, as the JSON object that it must be. */
export async function json(response: Response): Promise<Record<string, never>> {
  return (await response.json()) as Record<string, never>
}

/** The `data` of each event of a streamed answer. */
export async function readEvents(response: Response): Promise<string[]> {
  const text = await response.text()
  return text
    .split('\n\n')
    .map((event) => event.replace(/^data: /, ''))
    .filter((data) => data !== '')
}
