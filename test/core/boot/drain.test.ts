/**
 * A gateway leaves a load balancer before it stops, and ends early if necessary: `/readyz` is 503 before connections
 * are refused, and a second signal ends the process even with requests in flight.
 */
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { chat, configHeader, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

const key = 'admin-key-of-this-test'
const tooLongMs = 600_000
/** A second signal within this time counts as the first one (core/boot/stop-signals.ts). */
const sameSignalMs = 300

describe('a gateway behind a load balancer', () => {
  let upstream: Upstream
  let folder: Folder
  let gateway: GatewayProcess
  let url: string
  let pending: ServerResponse[] = []

  before(async () => {
    upstream = await openUpstream(({ json }, response) => {
      const { messages } = json as { messages: { content: string }[] }
      if (messages[0]?.content === 'wait') pending.push(response)
      else sendJson(response, 200, chatAnswer('ok'))
    })
  })
  after(() => upstream.close())
  afterEach(() => discard(gateway, folder))

  async function start(
    server: Record<string, unknown>,
    environment: Record<string, string> = {},
    words: string[] = [],
  ) {
    pending = []
    folder = await makeFolder({ server })
    gateway = runGateway(folder, ['--port', '0', ...words], { GATEWAY_ADMIN_KEY: key, ...environment })
    url = await listening(gateway)
  }

  /** Over a new connection. */
  async function ask(path: string, body?: object): Promise<IncomingMessage> {
    const call = request(url + path, {
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': key,
        ...configHeader(target(upstream.url)),
      },
    })
    call.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    response.resume()
    return response
  }

  const isNotReady = async () => (await ask('/readyz')).statusCode === 503
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.once('error', () => resolve(true))
      socket.once('connect', () => {
        socket.destroy()
        resolve(false)
      })
    })

  it('answers requests of new connections during the drain delay, while /readyz returns 503', async () => {
    await start({ drain_delay_ms: tooLongMs })
    gateway.signal('SIGTERM')
    await until('the gateway is not ready', isNotReady)
    const response = await ask('/v1/chat/completions', chat('hello'))
    expect(response.statusCode).to.equal(200)
    expect(response.headers.connection).to.equal('close')
  })

  it('ends at a second SIGTERM during the drain delay', async () => {
    await start({ drain_delay_ms: tooLongMs })
    gateway.signal('SIGTERM')
    await until('the gateway is not ready', isNotReady)
    await endBySecond('SIGTERM', 143)
  })

  it('ends with its workers at a second SIGTERM', async () => {
    await start({ drain_delay_ms: tooLongMs }, {}, ['--workers', '2'])
    gateway.signal('SIGTERM')
    await until('the gateway is not ready', isNotReady)
    await endBySecond('SIGTERM', 143)
    await until('new connections are refused', isRefused)
  })

  it('refuses connections after the drain delay, and finishes requests in flight', async () => {
    await start({ drain_delay_ms: 1 })
    const response = ask('/v1/chat/completions', chat('wait'))
    await until('the provider is called', () => pending.length === 1)
    gateway.signal('SIGTERM')
    await until('new connections are refused', isRefused)
    for (const answer of pending) sendJson(answer, 200, chatAnswer('ok'))
    expect((await response).statusCode).to.equal(200)
    expect(await gateway.exited).to.equal(0)
  })

  it('waits for the load balancer under Kubernetes by default', async () => {
    await start({}, { KUBERNETES_SERVICE_HOST: '127.0.0.1' })
    gateway.signal('SIGTERM')
    await until('the gateway is not ready', isNotReady)
    expect(await gateway.exited).to.equal(0)
  })

  it('skips the drain delay after SIGINT', async () => {
    await start({ drain_delay_ms: tooLongMs })
    gateway.signal('SIGINT')
    expect(await gateway.exited).to.equal(0)
  })

  it('ends at a second SIGINT although a request is in flight', async () => {
    await start({})
    const response = ask('/v1/chat/completions', chat('wait')).catch((error: Error) => error)
    await until('the provider is called', () => pending.length === 1)
    gateway.signal('SIGINT')
    await until('new connections are refused', isRefused)
    await endBySecond('SIGINT', 130)
    expect(await response).to.be.an('error')
  })

  for (const how of ['unread', 'closed'] as const) {
    it(`exits with 0 although its output is ${how}`, async () => {
      await start({})
      gateway.leaveOutput(how)
      await fillOutput()
      gateway.signal('SIGTERM')
      expect(await gateway.exited).to.equal(0)
    })

    it(`ends at a second SIGINT although a request is in flight and its output is ${how}`, async () => {
      await start({})
      gateway.leaveOutput(how)
      await fillOutput()
      const response = ask('/v1/chat/completions', chat('wait')).catch((error: Error) => error)
      await until('the provider is called', () => pending.length === 1)
      gateway.signal('SIGINT')
      await until('new connections are refused', isRefused)
      await endBySecond('SIGINT', 130)
      expect(await response).to.be.an('error')
    })
  }

  /** More log lines than a pipe holds: each names the path of its request. */
  async function fillOutput(): Promise<void> {
    for (let count = 0; count < 100; count += 1) await ask(`/v1/${'x'.repeat(8000)}`)
  }

  /**
   * Sends one more signal, after the time in which it would count as the same as the first one. Not several: Node aborts
   * when a signal arrives while it tears its signal handlers down.
   */
  async function endBySecond(signal: NodeJS.Signals, code: number): Promise<void> {
    await setTimeout(2 * sameSignalMs)
    gateway.signal(signal)
    expect(await gateway.exited).to.equal(code)
  }
})
