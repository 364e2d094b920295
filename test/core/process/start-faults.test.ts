/** A gateway that cannot start says everything that is wrong, and ends with 1. */

import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { discard, type Folder, makeFolder, runGateway } from './gateway-process.ts'

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

/** Right by the schema; wrong by what it refers to. */
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
  'a file that is no YAML': { config: 'server: {', says: [/gateway\.yaml:\d+:\d+ /] },
  'a file that is not there': {
    config: '',
    args: ['--config', 'none.yaml'],
    says: [/none\.yaml:1:1 .*does not exist/],
  },
  'a wrong variable': {
    config: '',
    environment: { GATEWAY_WORKERS: 'x', GATEWAY_ENCRYPTION_KEY: 'short' },
    says: [/GATEWAY_WORKERS must be auto or a whole number/, /GATEWAY_ENCRYPTION_KEY must be 32 bytes/],
  },
}

describe('a gateway that cannot start', function () {
  this.timeout(150_000)
  let folder: Folder

  afterEach(() => discard(undefined, folder))

  for (const [name, { config, args = [], environment = {}, says }] of Object.entries(rows)) {
    it(`names ${name}`, async () => {
      folder = await makeFolder(config)
      const gateway = runGateway(folder, ['--port', '0', ...args], { GATEWAY_ADMIN_KEY: 'k', ...environment })
      expect(await gateway.exited).to.equal(1)
      for (const pattern of says) expect(gateway.output.stderr).to.match(pattern)
      expect(gateway.output.stderr).to.not.contain('    at ')
    })
  }

  describe('because its port is taken', () => {
    let other: Server
    before(async () => {
      other = createServer()
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    })
    after(() => new Promise((resolve) => other.close(resolve)))

    for (const workers of ['1', '2']) {
      it(`says so, with ${workers} to start`, async () => {
        folder = await makeFolder('')
        const { port } = other.address() as AddressInfo
        const gateway = runGateway(folder, ['--port', String(port), '--workers', workers], {
          GATEWAY_ADMIN_KEY: 'k',
        })
        expect(await gateway.exited).to.equal(1)
        expect(gateway.output.stderr).to.match(/address is already in use/)
        expect(gateway.output.stderr).to.contain(String(port))
        expect(gateway.output.stderr).to.not.contain('    at ')
      })
    }
  })
})
