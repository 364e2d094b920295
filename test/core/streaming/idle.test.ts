/**
 * The idle timeout of streams (`server.stream_idle_timeout_ms`): a silent provider ends the stream with
 * `stream_idle_timeout`; anything it sends restarts the timer; a slow reader does not count against it.
 */
import type { ServerResponse } from 'node:http'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { turns } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { dataOf, errorCodeOf, piece, textOf } from './events.ts'

const idleMs = 5000

describe('the idle timeout of a stream', () => {
  let clock: Clock & { uninstall(): void }
  let gateway: TestGateway
  let upstream: Upstream
  let spare: Upstream
  /** The provider's answer in flight. */
  let answer: ServerResponse | null = null
  let isProviderGone = false

  before(async () => {
    gateway = await startGateway({ server: { stream_idle_timeout_ms: idleMs, shutdown_grace_ms: 0 } })
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
    isProviderGone = false
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      response.on('close', () => {
        isProviderGone = true
      })
      answer = response
    })
  })

  afterEach(() => clock.uninstall())

  const ask = (config: Record<string, unknown> = target(upstream.url)) =>
    gateway.post('/v1/chat/completions', chat('hi', { stream: true }), configHeader(config))

  const providerAnswers = () => turnUntil(() => answer !== null, 'the provider is called')

  /** The data received so far. */
  function follow(response: Response) {
    const state = { text: '', isOver: false }
    const read = async () => {
      for await (const bytes of response.body ?? []) state.text += Buffer.from(bytes).toString()
      state.isOver = true
    }
    void read()
    return state
  }

  it('ends the stream with an error event, and aborts the call', async () => {
    const asked = ask()
    await providerAnswers()
    answer?.write(`data: ${piece('said')}\n\n`)
    const received = follow(await asked)
    await turnUntil(() => received.text !== '', 'the first content comes')
    await clock.tickAsync(idleMs)
    await turnUntil(() => received.isOver, 'the stream ends')
    const events = dataOf(Buffer.from(received.text))
    expect(events).to.have.length(2)
    expect(textOf(events)).to.equal('said')
    expect(JSON.parse(events[1] ?? ''))
      .to.have.property('error')
      .that.includes({
        type: 'timeout_error',
        code: 'stream_idle_timeout',
      })
    await turnUntil(() => isProviderGone, 'the call of the provider ends')
  })

  for (const [what, text] of [
    ['a chunk', `data: ${piece('.')}\n\n`],
    ['a comment', ': wait\n\n'],
    ['half a comment', ':'],
  ] as const) {
    it(`restarts with ${what}`, async () => {
      const asked = ask()
      await providerAnswers()
      answer?.write(`data: ${piece('said')}\n\n`)
      const received = follow(await asked)
      for (let count = 0; count < 4; count += 1) {
        await clock.tickAsync(idleMs - 1)
        const length = received.text.length
        answer?.write(text)
        if (text.endsWith('\n')) await turnUntil(() => received.text.length > length, 'it comes')
        else await turns(50)
      }
      answer?.end('\n\ndata: [DONE]\n\n')
      await turnUntil(() => received.isOver, 'the stream ends')
      expect(dataOf(Buffer.from(received.text)).at(-1)).to.equal('[DONE]')
    })
  }

  it('restarts with a comment before any content, too', async () => {
    const asked = ask()
    await providerAnswers()
    for (let count = 0; count < 4; count += 1) {
      await clock.tickAsync(idleMs - 1)
      answer?.write(': wait\n\n')
      await turns(50)
    }
    answer?.end(chatEvents('late').join(''))
    expect(textOf(dataOf(Buffer.from(await (await asked).text())))).to.equal('late')
  })

  it('causes an error answer before any content', async () => {
    const asked = ask()
    await providerAnswers()
    await turns(50)
    await clock.tickAsync(idleMs)
    const response = await asked
    expect(response.status).to.equal(408)
    expect((await json(response)).error).to.include({ type: 'timeout_error', code: 'stream_idle_timeout' })
    await turnUntil(() => isProviderGone, 'the call of the provider ends')
  })

  it('lets a fallback continue before any content', async () => {
    const asked = ask({ strategy: { mode: 'fallback' }, targets: [target(upstream.url), target(spare.url)] })
    await providerAnswers()
    await turns(50)
    await clock.tickAsync(idleMs)
    const response = await asked
    expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
    expect(await response.text()).to.contain('spare')
  })

  it('excludes the time in which the caller does not read', async () => {
    const asked = ask()
    await providerAnswers()
    const big = `data: ${piece('x'.repeat(65_536))}\n\n`
    const events = Array.from({ length: 400 }, () => big)
    for (const event of events) answer?.write(event)
    answer?.end('data: [DONE]\n\n')
    const response = await asked
    await turns(200)
    await clock.tickAsync(10 * idleMs)
    const received = dataOf(Buffer.from(await response.arrayBuffer()))
    expect(received).to.have.length(events.length + 1)
    expect(received.at(-1)).to.equal('[DONE]')
    expect(errorCodeOf(received.at(-2))).to.equal(null)
  })
})
