/** `--workers 2`: several processes that serve as one. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { chat, configHeader, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { answerOk, chatEvents, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  keyPattern,
  listening,
  makeFolder,
  printedKey,
  runGateway,
} from './gateway-process.ts'

describe('a gateway with two workers', () => {
  let upstream: Upstream
  let folder: Folder
  let gateway: GatewayProcess
  let url: string
  let key: string

  before(async () => {
    upstream = await openUpstream()
    folder = await makeFolder({})
    gateway = runGateway(folder, ['--port', '0', '--workers', '2'])
    url = await listening(gateway)
    await until('both serve', () => servers().length === 2)
    key = await printedKey(gateway)
  })
  after(async () => {
    await discard(gateway, folder)
    await upstream.close()
  })
  beforeEach(() => upstream.handle(answerOk))

  const servers = () => gateway.logs().filter(({ msg }) => msg === 'listening')

  const workerIds = () =>
    spawnSync('pgrep', ['-P', String(gateway.pid)], { encoding: 'utf8' })
      .stdout.split('\n')
      .map(Number)
      .filter((pid) => pid > 0 && isAlive(pid))

  /** Uses a separate connection: connections are distributed over the workers. */
  const ask = (config: Record<string, unknown>, body: Record<string, unknown> = {}, caller = key) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        'x-gateway-api-key': caller,
        ...configHeader(config),
      },
      body: JSON.stringify(chat('hi', body)),
    })

  const metric = async (name: RegExp): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text()
    const lines = text.split('\n').filter((line) => name.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const answered = () => metric(/^gateway_requests_total\{.*provider="openai"/)

  it('prints one admin key once, and every worker accepts it', async () => {
    expect(gateway.output.stderr.match(keyPattern)).to.have.length(1)
    for (let count = 0; count < 4; count += 1) expect((await ask({ provider: 'echo' })).status).to.equal(200)
  })

  it('admits exactly as many requests as a limit allows, over all workers', async () => {
    const made = await fetch(`${url}/v1/api-keys/workspace/service`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', 'x-gateway-api-key': key },
      body: JSON.stringify({
        name: 'limited',
        workspace_id: 'default',
        scopes: ['completions.write'],
        rate_limits: [{ type: 'requests', unit: 'rpd', value: 20 }],
      }),
    })
    expect(made.status).to.equal(200)
    const limited = ((await made.json()) as { key: string }).key
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => ask({ provider: 'echo' }, {}, limited)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.length(20)
    expect(statuses.filter((status) => status === 429)).to.have.length(40)
  })

  it('sums the metrics of its workers', async () => {
    for (let count = 0; count < 10; count += 1) expect((await ask(target(upstream.url))).status).to.equal(200)
    for (let count = 0; count < 4; count += 1) expect(await answered()).to.equal(10)
    expect(await metric(/^process_cpu_seconds_total/)).to.be.greaterThan(0)
  })

  it('shares circuit breakers between its workers', async () => {
    upstream.handle((_request, response) => sendJson(response, 500, { error: { message: 'no' } }))
    const config = {
      ...target(upstream.url),
      cb_config: { failure_threshold: 3, cooldown_interval: 600_000 },
    }
    const calls = upstream.seen.length
    for (let count = 0; count < 3; count += 1) expect((await ask(config)).status).to.equal(500)
    await until('the circuit is open everywhere', async () => {
      const answers = await Promise.all([ask(config), ask(config), ask(config), ask(config)])
      return answers.every(({ status }) => status === 503)
    })
    const known = upstream.seen.length
    expect(known).to.be.lessThan(calls + 3 + 4)
    for (let count = 0; count < 4; count += 1) expect((await ask(config)).status).to.equal(503)
    expect(upstream.seen).to.have.length(known)
  })

  it('reloads the config file in every worker', async () => {
    await folder.writeConfig({ configs: { later: { provider: 'echo' } } })
    const later = {
      'content-type': 'application/json',
      'x-gateway-api-key': key,
      'x-gateway-config': 'later',
    }
    await until('every worker knows it', async () => {
      const asked = Array.from({ length: 4 }, () =>
        fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...later, connection: 'close' },
          body: JSON.stringify(chat()),
        }),
      )
      return (await Promise.all(asked)).every(({ status }) => status === 200)
    })
  })

  it('replaces a killed worker, and keeps serving requests and metrics meanwhile', async () => {
    const [victim = 0, other = 0] = workerIds()
    process.kill(victim, 'SIGKILL')
    // A connection accepted by a worker just before it dies is lost with it.
    await until('the primary knows', () => !isAlive(victim))
    await until('there is another', async () => {
      expect((await fetch(`${url}/healthz`, { headers: { connection: 'close' } })).status).to.equal(200)
      expect(await metric(/^process_cpu_seconds_total/)).to.be.greaterThan(0)
      const ids = workerIds()
      return ids.length === 2 && !ids.includes(victim)
    })
    expect(workerIds()).to.include(other)
    await until('it serves', () => servers().length === 3)
    expect((await ask(target(upstream.url))).status).to.equal(200)
  })

  it('stops every worker on SIGTERM, after the requests in flight', async () => {
    const ids = workerIds()
    expect(ids).to.have.length(2)
    const [opening = '', first = '', ...rest] = chatEvents('hi')
    let finish: () => void = () => undefined
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(opening + first)
      finish = () => response.end(rest.join(''))
    })
    const streamed = await ask(target(upstream.url), { stream: true })
    gateway.signal('SIGTERM')
    await until('the other worker is gone', () => ids.filter(isAlive).length === 1)
    finish()
    expect(await streamed.text()).to.contain('[DONE]')
    expect(await gateway.exited).to.equal(0)
    expect(ids.filter(isAlive)).to.deep.equal([])
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}
