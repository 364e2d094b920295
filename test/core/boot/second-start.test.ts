/** Only one gateway runs on a SQLite store, and a start without a config file answers. */
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { expect } from 'chai'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

describe('a second start on the same SQLite store', () => {
  let folder: Folder
  const started: GatewayProcess[] = []

  const start = (...args: string[]) => {
    const gateway = runGateway(folder, ['--port', '0', ...args])
    started.push(gateway)
    return gateway
  }

  beforeEach(async () => {
    folder = await makeFolder({})
  })
  afterEach(async () => {
    for (const gateway of started.splice(0)) await discard(gateway, undefined)
    await folder.remove()
  })

  for (const args of [[], ['--workers', '2']])
    it(`is refused and names the running process${args.length === 0 ? '' : ' when it has several workers'}`, async () => {
      const first = start(...args)
      await listening(first)
      const second = start()
      expect(await second.exited).to.equal(1)
      expect(second.output.stderr).to.include(`process ${first.pid} on ${hostname()}`)
      expect(second.output.stderr).to.include('GATEWAY_DATA_DIR')
    })

  it('succeeds once the first process was killed', async () => {
    const first = start()
    await listening(first)
    first.signal('SIGKILL')
    await first.exited
    await listening(start())
  })

  it('answers with the provider echo without a config file', async () => {
    await rm(folder.configPath)
    const gateway = runGateway(folder, ['--port', '0'], { GATEWAY_ADMIN_KEY: 'admin-key-1' })
    started.push(gateway)
    const url = await listening(gateway)
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer admin-key-1', 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@echo/echo-1', messages: [{ role: 'user', content: 'hello' }] }),
    })
    expect(answer.status).to.equal(200)
    expect(JSON.stringify(gateway.logs())).to.include('gateway init')
    expect(await readdir(folder.path)).to.include('data')
  })
})
