/** `request_timeout` limits the wait for the first event of a stream, and nothing afterwards. */
import type { ServerResponse } from 'node:http'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { turns } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'

const timeoutMs = 2000
const [opening = '', first = '', ...rest] = chatEvents('late')

const beginnings: Record<string, (response: ServerResponse) => void> = {
  'says nothing': () => undefined,
  'sends its head': (response) => response.flushHeaders(),
  'sends a comment': (response) => response.write(': wait\n\n'),
}

describe('the timeout of a stream', () => {
  let clock: Clock & { uninstall(): void }
  let gateway: TestGateway
  let upstream: Upstream
  let spare: Upstream
  let answer: ServerResponse | null = null
  let isGone = false

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
    answer = null
    isGone = false
  })
  afterEach(() => clock.uninstall())

  async function ask(
    config: Record<string, unknown>,
    begin: (response: ServerResponse) => void,
    headers = {},
  ) {
    upstream.handle((_request, response) => {
      response.on('close', () => {
        isGone = true
      })
      response.setHeader('content-type', 'text/event-stream')
      begin(response)
      answer = response
    })
    const body = chat('hi', { stream: true })
    const asked = gateway.post('/v1/chat/completions', body, { ...configHeader(config), ...headers })
    await turnUntil(() => answer !== null, 'the provider is called')
    // The data that it sent arrives.
    await turns(100)
    return { asked }
  }

  for (const [how, begin] of Object.entries(beginnings)) {
    it(`answers 408 for a provider that ${how} and then nothing more`, async () => {
      const { asked } = await ask({ ...target(upstream.url), request_timeout: timeoutMs }, begin)
      await clock.tickAsync(timeoutMs)
      const response = await asked
      expect(response.status).to.equal(408)
      expect((await json(response)).error).to.include({ type: 'timeout_error', code: 'request_timeout' })
      await turnUntil(() => isGone, 'the call of the provider ends')
    })
  }

  it('ends with the first content', async () => {
    const { asked } = await ask({ ...target(upstream.url), request_timeout: timeoutMs }, (response) =>
      response.write(opening + first),
    )
    const response = await asked
    await clock.tickAsync(10 * timeoutMs)
    answer?.end(rest.join(''))
    expect(await response.text()).to.equal(chatEvents('late').join(''))
  })

  it('ends with the first event, even without content', async () => {
    const { asked } = await ask({ ...target(upstream.url), request_timeout: timeoutMs }, (response) =>
      response.write(opening),
    )
    await clock.tickAsync(10 * timeoutMs)
    answer?.end(first + rest.join(''))
    expect(await (await asked).text()).to.equal(chatEvents('late').join(''))
  })

  it('lets a fallback continue', async () => {
    const slow = { ...target(upstream.url), request_timeout: timeoutMs }
    const config = { strategy: { mode: 'fallback' }, targets: [slow, target(spare.url)] }
    const { asked } = await ask(config, (response) => response.flushHeaders())
    await clock.tickAsync(timeoutMs)
    expect(await (await asked).text()).to.contain('spare')
  })

  it('comes from the header before the config', async () => {
    const config = { ...target(upstream.url), request_timeout: 60_000 }
    const headers = { 'x-gateway-request-timeout': String(timeoutMs) }
    const { asked } = await ask(config, () => undefined, headers)
    await clock.tickAsync(timeoutMs)
    expect((await asked).status).to.equal(408)
  })
})
