/** A caller that does not read causes backpressure: a long answer is never buffered in the gateway's memory. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target,
} from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { piece } from './events.ts'

const megabyte = 1_048_576
/** The buffers of two socket pairs on one machine, and slightly more. */
const boundBytes = 40 * megabyte

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes in buffers of both the gateway and the test. */
function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const event = Buffer.from(`data: ${piece('x'.repeat(65_536))}\n\n`)

const ways: Record<string, Record<string, unknown>> = {
  'as it comes': {},
  'through a cache': { cache: { mode: 'simple' } },
  'through a circuit breaker': { cb_config: { failure_threshold: 3, cooldown_interval: 60_000 } },
  'with a check on the output': {
    output_guardrails: [{ 'default.contains': { words: ['never'], operator: 'none' } }],
  },
}

describe('a caller who does not read', () => {
  let gateway: TestGateway
  let upstream: Upstream
  /** The size of the provider's answer. */
  let wholeBytes = 0
  let sentBytes = 0
  let isWaiting = false
  let isGone = false

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let goOn: () => void = () => undefined
      response.on('drain', () => goOn())
      response.on('close', () => {
        isGone = true
        goOn()
      })
      while (sentBytes < wholeBytes && !isGone) {
        sentBytes += event.length
        isWaiting = !response.write(event)
        if (!isWaiting) continue
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
      }
      response.end('data: [DONE]\n\n')
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    wholeBytes = 200 * megabyte
    sentBytes = 0
    isWaiting = false
    isGone = false
  })

  async function open(config: Record<string, unknown>): Promise<IncomingMessage> {
    const headers = {
      'content-type': 'application/json',
      'x-gateway-api-key': adminKey,
      ...configHeader(config),
    }
    const call = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers })
    call.end(JSON.stringify(chat('hi', { stream: true })))
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    return response
  }

  /** The provider has not been able to write for a while. */
  async function stalls(): Promise<void> {
    let seen = -1
    let looks = 0
    await until('the provider waits', () => {
      looks = isWaiting && sentBytes === seen ? looks + 1 : 0
      seen = sentBytes
      return looks > 20 || sentBytes >= wholeBytes
    })
  }

  for (const [way, config] of Object.entries(ways)) {
    it(`applies backpressure to the provider ${way}`, async () => {
      const response = await open({ ...target(upstream.url), ...config })
      await stalls()
      expect(sentBytes).to.be.lessThan(boundBytes)
      response.destroy()
      await until('the call of the provider is gone', () => isGone)
    })
  }

  it('does not delay other callers of the same answer, and is disconnected', async () => {
    // Far more than what is in flight between provider, gateway and callers, which are all in this process: on a busy
    // machine that was up to 53 MB.
    wholeBytes = 96 * megabyte
    const config = { ...target(upstream.url), cache: { mode: 'simple' } }
    const slow = await open(config)
    await until('the answer has begun', () => sentBytes > 0)
    const fast = await open(config)
    expect(fast.headers['x-gateway-cache-status']).to.equal('HIT')
    let received = 0
    let mostHeld = 0
    const heldBefore = heldBytes()
    for await (const chunk of fast) {
      const before = received
      received += (chunk as Buffer).length
      if (Math.floor(before / megabyte / 15) === Math.floor(received / megabyte / 15)) continue
      mostHeld = Math.max(mostHeld, heldBytes() - heldBefore)
    }
    expect(received).to.be.greaterThan(wholeBytes)
    expect(mostHeld).to.be.lessThan(wholeBytes * 0.75)
    let text = ''
    for await (const chunk of slow) text = (text + String(chunk)).slice(-1000)
    expect(text).to.contain('"error"').and.not.contain('[DONE]')
  })

  it('receives everything when it reads again', async () => {
    wholeBytes = 100 * megabyte
    const response = await open(target(upstream.url))
    await stalls()
    let bytes = 0
    let tail = Buffer.alloc(0)
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      tail = Buffer.concat([tail, chunk as Buffer]).subarray(-14)
    }
    expect(tail.toString()).to.equal('data: [DONE]\n\n')
    expect(bytes).to.equal(sentBytes + 14)
  })
})
