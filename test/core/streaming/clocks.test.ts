/** The clocks of a stream: first content, silence between events, and the whole. */
import type { ServerResponse } from 'node:http'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { turns } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, errorCodeOf, textOf } from './events.ts'

const limitMs = 2000
const [opening = '', first = '', second = '', ...rest] = chatEvents('a longer text')

describe('stream timeouts', () => {
  let clock: Clock & { uninstall(): void }
  let gateway: TestGateway
  let upstream: Upstream
  let spare: Upstream
  let answers: ServerResponse[] = []

  before(async () => {
    gateway = await startGateway({ server: { shutdown_grace_ms: 0 } })
    upstream = await openUpstream()
    spare = await openUpstream((_request, response) => sendEvents(response, chatEvents('spare')))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await spare.close()
  })
  beforeEach(() => {
    clock = install({
      now: Date.now(),
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      shouldClearNativeTimers: true,
    })
    answers = []
    upstream.handle((_request, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write(opening)
      answers.push(response)
    })
  })
  afterEach(() => {
    clock.uninstall()
    for (const answer of answers) answer.destroy()
  })

  async function ask(config: Record<string, unknown>, headers: Record<string, string> = {}) {
    const body = chat('hi', { stream: true })
    const asked = gateway.post('/v1/chat/completions', body, { ...configHeader(config), ...headers })
    await turnUntil(() => answers.length > 0, 'the provider is called')
    await turns(100)
    return asked
  }
  const faultOf = async (response: Response) => {
    const { error } = (await json(response)) as unknown as { error: Record<string, string> }
    return { status: response.status, type: error.type, code: error.code }
  }
  const leaf = (extra: object) => ({ ...target(upstream.url), ...extra })
  /** Lets a started answer go on while its reader waits. */
  const started = async (config: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const asking = ask(config, headers)
    await turnUntil(() => answers.length > 0, 'the provider is called')
    answers[0]?.write(first)
    return asking
  }

  const early: [what: string, config: object, headers: Record<string, string>, code: string][] = [
    ['first_token_timeout', { first_token_timeout: limitMs }, {}, 'first_token_timeout'],
    ['the header', {}, { 'x-gateway-first-token-timeout': String(limitMs) }, 'first_token_timeout'],
    ['stream_idle_timeout', { stream_idle_timeout: limitMs }, {}, 'stream_idle_timeout'],
    ['the idle header', {}, { 'x-gateway-stream-idle-timeout': String(limitMs) }, 'stream_idle_timeout'],
    ['stream_total_timeout', { stream_total_timeout: limitMs }, {}, 'stream_total_timeout'],
  ]
  for (const [what, config, headers, code] of early)
    it(`for ${what} answer 408 before the first content`, async () => {
      const asked = ask(leaf(config), headers)
      await turnUntil(() => answers.length > 0, 'the provider is called')
      await turns(100)
      await clock.tickAsync(limitMs + 1)
      expect(await faultOf(await asked)).to.deep.equal({ status: 408, type: 'timeout_error', code })
    })

  it('do not treat a role, comments and usage as content', async () => {
    const asked = ask(leaf({ first_token_timeout: limitMs }))
    await turnUntil(() => answers.length > 0, 'the provider is called')
    for (let count = 0; count < 4; count += 1) {
      answers[0]?.write(': still here\n\n')
      await turns(50)
      await clock.tickAsync(limitMs / 4 + 1)
    }
    expect((await faultOf(await asked)).code).to.equal('first_token_timeout')
  })

  it('fall back to another target, and start again for it', async () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [leaf({}), target(spare.url)],
      first_token_timeout: limitMs,
    }
    const asked = ask(config)
    await turnUntil(() => answers.length > 0, 'the provider is called')
    await turns(100)
    await clock.tickAsync(limitMs)
    const response = await asked
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-gateway-attempts')).to.equal(
      'config.targets[0]=first_token_timeout, config.targets[1]=200',
    )
    expect(textOf(dataOf(await bytesOf(response)))).to.equal('spare')
  })

  it('are retried like a connection error', async () => {
    const asked = ask(leaf({ first_token_timeout: limitMs, retry: { attempts: 1, on_status_codes: [] } }))
    await turnUntil(() => answers.length > 0, 'the provider is called')
    await turns(100)
    await clock.tickAsync(limitMs)
    await turns(100)
    await clock.tickAsync(1000)
    await turnUntil(() => answers.length === 2, 'the provider is called again')
    for (const event of [first, second, ...rest]) answers[1]?.write(event)
    answers[1]?.end()
    const response = await asked
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-gateway-retry-attempt-count')).to.equal('1')
    await response.text()
  })

  const late: [what: string, config: object, code: string][] = [
    ['silence', { stream_idle_timeout: limitMs }, 'stream_idle_timeout'],
    ['the whole time', { stream_total_timeout: limitMs }, 'stream_total_timeout'],
  ]
  for (const [what, config, code] of late)
    it(`end a stream with an error event when ${what} expires after the first content`, async () => {
      const response = await started(leaf(config))
      const reading = bytesOf(response)
      await turns(100)
      await clock.tickAsync(limitMs + 1)
      const events = dataOf(await reading)
      expect(textOf(events.slice(0, -1))).not.to.equal('')
      expect(errorCodeOf(events.at(-1))).to.equal(code)
      expect(events).not.to.include('[DONE]')
    })

  it('stop the timer for the first content at the first content', async () => {
    const response = await started(leaf({ first_token_timeout: limitMs }))
    const reading = bytesOf(response)
    await clock.tickAsync(limitMs * 2)
    for (const event of [second, ...rest]) answers[0]?.write(event)
    answers[0]?.end()
    expect(dataOf(await reading)).to.include('[DONE]')
  })

  it('measure the total only for the root of a config', async () => {
    const response = await started({
      strategy: { mode: 'single' },
      targets: [leaf({ stream_total_timeout: limitMs })],
    })
    const reading = bytesOf(response)
    await clock.tickAsync(limitMs * 2)
    for (const event of [second, ...rest]) answers[0]?.write(event)
    answers[0]?.end()
    expect(dataOf(await reading)).to.include('[DONE]')
  })

  it('apply to providers inside the gateway, too', async () => {
    const cases: [config: object, code: string][] = [
      [
        { first_token_timeout: limitMs, override_params: { echo: { latency_ms: 60_000 } } },
        'first_token_timeout',
      ],
      [
        { stream_idle_timeout: limitMs, override_params: { echo: { tokens_per_second: 0.1 } } },
        'stream_idle_timeout',
      ],
    ]
    for (const [config, code] of cases) {
      const asked = gateway.post(
        '/v1/chat/completions',
        chat('hi there', { stream: true }),
        configHeader({ provider: 'echo', ...config }),
      )
      let response: Response | null = null
      void asked.then((answer) => {
        response = answer
      })
      for (let count = 0; count < 20 && response === null; count += 1) {
        await turns(100)
        await clock.tickAsync(limitMs / 2)
      }
      expect(await faultOf(await asked)).to.deep.equal({ status: 408, type: 'timeout_error', code })
    }
  })

  it('do not apply to plain answers', async () => {
    upstream.handle((_request, response) => {
      answers.push(response)
    })
    const asked = gateway.post(
      '/v1/chat/completions',
      chat(),
      configHeader(leaf({ first_token_timeout: 1, stream_idle_timeout: 1, stream_total_timeout: 1 })),
    )
    await turnUntil(() => answers.length > 0, 'the provider is called')
    await clock.tickAsync(1000)
    answers[0]?.setHeader('content-type', 'application/json')
    answers[0]?.end('{"choices": []}')
    expect((await asked).status).to.equal(200)
  })

  const refused: [config: object, headers: Record<string, string>, param: string][] = [
    [{ first_token_timeout: 0 }, {}, 'config/first_token_timeout'],
    [{ first_token_timeout: 600_001 }, {}, 'config/first_token_timeout'],
    [{ stream_idle_timeout: 1.5 }, {}, 'config/stream_idle_timeout'],
    [{ stream_total_timeout: 3_600_001 }, {}, 'config/stream_total_timeout'],
    [{}, { 'x-gateway-first-token-timeout': 'soon' }, 'header/x-gateway-first-token-timeout'],
    [{}, { 'x-gateway-stream-idle-timeout': '0' }, 'header/x-gateway-stream-idle-timeout'],
  ]
  for (const [config, headers, param] of refused)
    it(`refuse ${JSON.stringify({ ...config, ...headers })}`, async () => {
      const response = await gateway.post('/v1/chat/completions', chat(), {
        ...configHeader(leaf(config)),
        ...headers,
      })
      expect(response.status).to.equal(400)
      expect((await json(response)).error).to.include({ param })
    })
})
