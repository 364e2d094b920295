/** How a gateway ends: what is in flight is finished, nothing new begins, and it ends with 0. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { chat, configHeader, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, chatEvents, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

const key = 'admin-key-of-this-test'
const [opening = '', first = '', ...rest] = chatEvents('hi')

describe('a gateway that is told to end', function () {
  this.timeout(150_000)
  let upstream: Upstream
  let folder: Folder
  let gateway: GatewayProcess
  let url: string
  let answer: ServerResponse | null = null

  before(async () => {
    upstream = await openUpstream((_request, response) => {
      answer = response
    })
  })
  after(() => upstream.close())
  beforeEach(() => {
    answer = null
  })
  afterEach(() => discard(gateway, folder))

  async function start(server: Record<string, unknown> = {}): Promise<void> {
    folder = await makeFolder({ server })
    gateway = runGateway(folder, ['--port', '0'], { GATEWAY_ADMIN_KEY: key })
    url = await listening(gateway)
  }

  async function ask(stream: boolean): Promise<IncomingMessage> {
    const headers = {
      'content-type': 'application/json',
      'x-gateway-api-key': key,
      ...configHeader(target(upstream.url)),
    }
    const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers })
    call.end(JSON.stringify(chat('hi', { stream })))
    const responded = once(call, 'response') as Promise<[IncomingMessage]>
    await until('the provider is called', () => answer !== null)
    if (stream) {
      answer?.writeHead(200, { 'content-type': 'text/event-stream' })
      answer?.write(opening + first)
    }
    return (await responded)[0]
  }

  async function textOf(response: IncomingMessage): Promise<string> {
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return text
  }

  /** Whether somebody listens at all. */
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.once('connect', () => socket.destroy()).once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })

  it('finishes a stream, refuses new connections, and tells open ones', async () => {
    await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = async (path: string) => {
      const call = request(url + path, { agent }).end()
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      return { response, text: await textOf(response), isReused: call.reusedSocket }
    }
    expect((await get('/readyz')).response.statusCode).to.equal(200)
    const streamed = await ask(true)
    gateway.signal('SIGTERM')
    await until('new connections are refused', isRefused)
    const { response, text, isReused } = await get('/readyz')
    expect(isReused).to.equal(true)
    expect(response.statusCode).to.equal(503)
    expect(response.headers.connection).to.equal('close')
    expect(JSON.parse(text)).to.have.property('reason')
    expect(gateway.hasExited()).to.equal(false)
    answer?.end(rest.join(''))
    expect(await textOf(streamed)).to.contain('data: [DONE]')
    expect(await gateway.exited).to.equal(0)
    const lines = gateway.logs()
    expect(lines.some(({ msg }) => msg === 'stopped')).to.equal(true)
    expect(lines.some(({ path }) => path === '/v1/chat/completions')).to.equal(true)
    agent.destroy()
  })

  it('hands over the whole of a long answer to a caller who reads slowly', async () => {
    await start()
    const content = 'x'.repeat(30_000_000)
    const asked = ask(false)
    await until('the provider is called', () => answer !== null)
    sendJson(answer as ServerResponse, 200, chatAnswer(content))
    const response = await asked
    gateway.signal('SIGTERM')
    await until('new connections are refused', isRefused)
    expect(await textOf(response)).to.equal(JSON.stringify(chatAnswer(content)))
    expect(await gateway.exited).to.equal(0)
  })

  it('closes the connection of an answer that was under way', async () => {
    await start()
    const asked = ask(false)
    await until('the provider is called', () => answer !== null)
    gateway.signal('SIGTERM')
    await until('new connections are refused', isRefused)
    sendJson(answer as ServerResponse, 200, chatAnswer('ok'))
    const response = await asked
    expect(response.statusCode).to.equal(200)
    expect(response.headers.connection).to.equal('close')
    response.resume()
    expect(await gateway.exited).to.equal(0)
  })

  it('ends when its time is over, whatever is in flight', async () => {
    await start({ shutdown_grace_ms: 200 })
    const streamed = await ask(true)
    let isProviderGone = false
    answer?.on('close', () => {
      isProviderGone = true
    })
    gateway.signal('SIGTERM')
    expect(await gateway.exited).to.equal(0)
    const broken = await textOf(streamed).catch((error: Error) => error)
    expect(broken).to.be.an('error')
    await until('the call of the provider is gone', () => isProviderGone)
  })

  it('ends at once when nothing is in flight, idle connections or not', async () => {
    await start({ shutdown_grace_ms: 86_400_000 })
    const agent = new Agent({ keepAlive: true })
    const [response] = (await once(request(`${url}/healthz`, { agent }).end(), 'response')) as [
      IncomingMessage,
    ]
    response.resume()
    await once(response, 'end')
    gateway.signal('SIGINT')
    expect(await gateway.exited).to.equal(0)
    agent.destroy()
  })
})
