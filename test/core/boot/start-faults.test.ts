/** A gateway that cannot start reports every error, and exits with 1. */
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
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
  /** Contents by path, below the folder in which the gateway starts. */
  files?: Record<string, string>
  says: RegExp[]
}

/** Hides SQLite, as if its optional package were not installed. */
const withoutSqlite = {
  environment: { NODE_OPTIONS: '--require ./without-sqlite.cjs' },
  files: {
    'without-sqlite.cjs': `const Module = require('node:module')
const load = Module._load
Module._load = function (name, ...others) {
  if (name === '#sqlite' || name === 'node:sqlite') throw new Error('Cannot find module')
  return load.call(this, name, ...others)
}
`,
  },
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
    says: [/none\.yaml does not exist: correct --config or GATEWAY_CONFIG/],
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
  'a host that no machine has': {
    config: '',
    args: ['--host', 'no-such-host.invalid'],
    says: [/cannot listen on no-such-host\.invalid: it is neither an address nor a known host name/],
  },
  'a damaged database': {
    config: '',
    files: { 'data/gateway.db': 'not a database, but long enough to be read as one. '.repeat(50) },
    says: [/SQLite cannot use .*data\/gateway\.db .*SQLITE_NOTADB.*from a backup.*GATEWAY_DATA_DIR/],
  },
  'a damaged encryption key': {
    config: '',
    files: { 'data/encryption-key': '\n' },
    says: [/data\/encryption-key does not contain an encryption key .*: restore the file/],
  },
  'a damaged admin key': {
    config: '',
    files: { 'data/admin-key.sha256': 'lost' },
    environment: { GATEWAY_ADMIN_KEY: '' },
    says: [/data\/admin-key\.sha256 does not contain the hash of the admin key: .*reset-admin/],
  },
  'entries that are not indented': {
    config: 'providers:\nechoes: { provider: echo }\n',
    says: [/gateway\.yaml:2:1 \/ has the unknown key "echoes"\. If it belongs to "providers", .*indent it/],
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
  'what to install where SQLite is missing': {
    config: '',
    ...withoutSqlite,
    says: [/^SQLite is not installed\. .*npm ci again without --omit=optional\./],
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
    for (const [name, { config, args = [], ...rest }] of Object.entries(rows)) {
      await run(name, config, { args: ['--port', '0', ...args], ...rest })
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
    { args, environment = {}, files = {} }: Omit<Row, 'config' | 'says'> & { args: string[] },
  ): Promise<void> {
    const folder = await makeFolder(config)
    folders.push(folder)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, path)), { recursive: true })
      await writeFile(join(folder.path, path), text)
    }
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
      const text = await lastWords(workers)
      expect(text).to.contain(takenPort)
      expect(text.match(/already in use/g), text).to.have.length(1)
    })
  }
})
