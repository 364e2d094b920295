/** Graceful shutdown: requests in flight finish, no new ones begin, and the exit code is 0. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
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
  runNpmStart,
} from './gateway-process.ts'

const key = 'admin-key-of-this-test'
const [opening = '', first = '', ...rest] = chatEvents('hi')
/** More than the socket buffers between two processes. */
const longAnswer = chatAnswer('x'.repeat(30_000_000))

/** Whether the process has a child that runs the gateway. Linux only. */
async function hasWorker(pid: number): Promise<boolean> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const commands = children
    .split(' ')
    .filter((id) => id !== '')
    .map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(commands)).some((words) => words.includes('gateway.js'))
}

describe('a gateway that receives SIGTERM', () => {
  let upstream: Upstream
  let folder: Folder
  let gateway: GatewayProcess
  let url: string
  /** The provider's answers in flight, by request. */
  let answers: Record<string, ServerResponse> = {}

  before(async () => {
    upstream = await openUpstream(({ json }, response) => {
      const { messages } = json as { messages: { content: string }[] }
      answers[messages[0]?.content ?? ''] = response
    })
  })
  after(() => upstream.close())

  async function start(server: Record<string, unknown> = {}, run = runGateway, args: string[] = []) {
    answers = {}
    folder = await makeFolder({ server })
    gateway = run(folder, ['--port', '0', ...args], { GATEWAY_ADMIN_KEY: key })
    url = await listening(gateway)
  }

  /** Sends a request; returns the provider's response to write to, and the gateway's answer when it begins. */
  async function ask(name: string, stream = false) {
    const headers = { 'content-type': 'application/json', 'x-gateway-api-key': key }
    const call = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, ...configHeader(target(upstream.url)) },
    })
    call.end(JSON.stringify(chat(name, { stream })))
    const responded = (once(call, 'response') as Promise<[IncomingMessage]>).then(([response]) => response)
    const answer = await until('the provider is called', () => answers[name])
    return { answer, responded }
  }

  async function askStream() {
    const { answer, responded } = await ask('stream', true)
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.write(opening + first)
    return { answer, response: await responded }
  }

  async function textOf(response: IncomingMessage): Promise<string> {
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return text
  }

  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.once('error', () => resolve(true))
      socket.once('connect', () => {
        socket.destroy()
        resolve(false)
      })
    })

  describe('within its grace period', () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let stream: Awaited<ReturnType<typeof askStream>>
    let plain: Awaited<ReturnType<typeof ask>>
    let long: IncomingMessage

    before(async () => {
      await start()
      expect((await get('/readyz')).response.statusCode).to.equal(200)
      stream = await askStream()
      plain = await ask('plain')
      const slow = await ask('long')
      sendJson(slow.answer, 200, longAnswer)
      long = await slow.responded
      gateway.signal('SIGTERM')
    })
    after(async () => {
      agent.destroy()
      await discard(gateway, folder)
    })

    async function get(path: string) {
      const call = request(url + path, { agent }).end()
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      return { response, text: await textOf(response), isReused: call.reusedSocket }
    }

    it('refuses new connections', () => until('new connections are refused', isRefused))

    it('sends connection: close on open connections', async () => {
      const { response, text, isReused } = await get('/readyz')
      expect(isReused).to.equal(true)
      expect(response.statusCode).to.equal(503)
      expect(response.headers.connection).to.equal('close')
      expect(JSON.parse(text)).to.have.property('reason')
    })

    it('finishes an answer, then closes its connection', async () => {
      sendJson(plain.answer, 200, chatAnswer('ok'))
      const response = await plain.responded
      expect(response.headers.connection).to.equal('close')
      expect(JSON.parse(await textOf(response))).to.deep.equal(chatAnswer('ok'))
    })

    it('finishes a stream', async () => {
      stream.answer.end(rest.join(''))
      expect(await textOf(stream.response)).to.contain('data: [DONE]')
    })

    it('writes a long answer to its last byte to a slow client, then exits with 0', async () => {
      expect(gateway.hasExited()).to.equal(false)
      expect(await textOf(long)).to.equal(JSON.stringify(longAnswer))
      expect(await gateway.exited).to.equal(0)
    })

    it('has logged its requests', () => {
      const lines = gateway.logs()
      expect(lines.some(({ msg }) => msg === 'stopped')).to.equal(true)
      expect(lines.filter(({ path }) => path === '/v1/chat/completions')).to.have.length(3)
    })
  })

  it('exits with 0 although its workers are still starting', async function () {
    if (process.platform !== 'linux') this.skip()
    folder = await makeFolder({})
    gateway = runGateway(folder, ['--port', '0', '--workers', '2'], { GATEWAY_ADMIN_KEY: key })
    const { pid } = gateway
    await until('a worker is started', () => hasWorker(pid))
    gateway.signal('SIGTERM')
    expect(await gateway.exited).to.equal(0)
    await discard(gateway, folder)
  })

  it('exits with 0 when the grace period ends, even with requests in flight', async () => {
    await start({ shutdown_grace_ms: 200 })
    const { answer, response } = await askStream()
    let isProviderGone = false
    answer.on('close', () => {
      isProviderGone = true
    })
    gateway.signal('SIGINT')
    expect(await gateway.exited).to.equal(0)
    expect(await textOf(response).catch((error: Error) => error)).to.be.an('error')
    await until('the call of the provider is gone', () => isProviderGone)
    await discard(gateway, folder)
  })

  // A terminal and npm each send the process a signal for one Ctrl-C.
  const startedBy: [name: string, run: typeof runGateway, args: string[]][] = [
    ['', runGateway, []],
    [', with workers', runGateway, ['--workers', '2']],
    [', by the npm that started it', runNpmStart, []],
  ]
  for (const [name, run, args] of startedBy) {
    it(`finishes a stream even after a second signal${name}`, async () => {
      await start({}, run, args)
      const { answer, response } = await askStream()
      // A signal directly after the first counts as the same. A later one ends the process, also on a slow machine.
      gateway.signal('SIGINT')
      gateway.signal('SIGINT')
      await until('new connections are refused', isRefused)
      answer.end(rest.join(''))
      expect(await textOf(response)).to.contain('data: [DONE]')
      expect(await gateway.exited).to.equal(0)
      await discard(gateway, folder)
    })
  }
})
