/** A gateway that cannot start reports every error, and exits with 1. */
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { discard, type Folder, type GatewayProcess, makeFolder, runGateway } from './gateway-process.ts'

const faulty = `server:
  port: many
  nonsense: true
configs:
  main:
    strategy: { mode: fallback }
    targets:
      - provider: "@nobody"
        weight: -1
providers:
  one: { provider: openai, api_key: "\${NO_SUCH_VARIABLE}" }
`

/** Valid by the schema, with invalid references. */
const lost = `configs:
  main: { provider: "@nobody" }
  other: { provider: echo, output_guardrails: [missing] }
`

interface Row {
  config: string
  args?: string[]
  environment?: Record<string, string>
  says: RegExp[]
}

const rows: Record<string, Row> = {
  'faults of the file': {
    config: faulty,
    says: [
      /gateway\.yaml:2:9 \/server\/port /,
      /gateway\.yaml:3:\d+ \/server .*nonsense/,
      /gateway\.yaml:9:\d+ \/configs\/main\/targets\/0\/weight /,
      /gateway\.yaml:11:\d+ \/providers\/one\/api_key .*NO_SUCH_VARIABLE/,
    ],
  },
  'references to nothing': {
    config: lost,
    says: [
      /gateway\.yaml:2:\d+ \/configs\/main\/provider .*nobody.*unknown_virtual_key/,
      /gateway\.yaml:3:\d+ \/configs\/other\/output_guardrails\/0 .*missing.*unknown_guardrail/,
    ],
  },
  'references to nothing, with workers': {
    config: lost,
    args: ['--workers', '2'],
    says: [/gateway\.yaml:2:\d+ \/configs\/main\/provider .*nobody.*unknown_virtual_key/],
  },
  'a file that is not there': {
    config: '',
    args: ['--config', 'none.yaml'],
    says: [/none\.yaml:1:1 .*does not exist/],
  },
  'a wrong variable': {
    config: '',
    environment: { GATEWAY_WORKERS: 'x', GATEWAY_ENCRYPTION_KEY: 'short', GATEWAY_LOG_LEVEL: 'loud' },
    says: [
      /GATEWAY_LOG_LEVEL must be one of/,
      /GATEWAY_WORKERS must be auto or a whole number/,
      /GATEWAY_ENCRYPTION_KEY must be 32 bytes in base64; `openssl rand/,
    ],
  },
  'an invalid data directory': {
    config: '',
    environment: { GATEWAY_DATA_DIR: 'config/gateway.yaml' },
    says: [/cannot start: .*config\/gateway\.yaml is a file where a folder is needed.*GATEWAY_DATA_DIR/],
  },
  'a store that no package opens, without its password': {
    config: 'store:\n  url: "mysql://ann:hidden@db/gateway"\n',
    says: [/:2:8 \/store\/url No package opens a store at mysql:/, /^(?![\s\S]*hidden)/],
  },
  'packages and the config file, together': {
    config: JSON.stringify({ plugins: { packages: ['./nowhere'] }, configs: { a: {} }, extra: 1 }),
    says: [/nowhere/, /\/configs\/a/, /extra/],
  },
}

describe('a gateway that cannot start', () => {
  const folders: Folder[] = []
  const gateways = new Map<string, GatewayProcess>()
  let other: Server
  let takenPort = ''

  /** All in parallel, because each takes a while; except the first, which may have to build. */
  before(async () => {
    other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    takenPort = String((other.address() as AddressInfo).port)
    for (const [name, { config, args = [], environment = {} }] of Object.entries(rows)) {
      await run(name, config, { args: ['--port', '0', ...args], environment })
    }
    for (const workers of ['1', '2'])
      await run(workers, '', { args: ['--port', takenPort, '--workers', workers] })
  })
  after(async () => {
    await new Promise((resolve) => other.close(resolve))
    for (const gateway of gateways.values()) await discard(gateway, undefined)
    for (const folder of folders) await folder.remove()
  })

  async function run(
    name: string,
    config: string,
    { args, environment = {} }: { args: string[]; environment?: object },
  ): Promise<void> {
    const folder = await makeFolder(config)
    folders.push(folder)
    const gateway = runGateway(folder, args, { GATEWAY_ADMIN_KEY: 'k', ...environment })
    gateways.set(name, gateway)
    if (gateways.size === 1) await gateway.exited
  }

  /** The output before it exited with 1. */
  async function lastWords(name: string): Promise<string> {
    const gateway = gateways.get(name)
    expect(await gateway?.exited).to.equal(1)
    const text = gateway?.output.stderr ?? ''
    expect(text, 'no stack').to.not.contain('    at ')
    return text
  }

  for (const [name, { says }] of Object.entries(rows)) {
    it(`names ${name}`, async () => {
      const text = await lastWords(name)
      for (const pattern of says) expect(text).to.match(pattern)
    })
  }

  for (const workers of ['1', '2']) {
    it(`reports that its port is taken, with ${workers} to start`, async () => {
      expect(await lastWords(workers))
        .to.contain(takenPort)
        .and.match(/already in use/)
    })
  }
})
