/** When a caller disconnects at any point, the provider call is aborted immediately, and no error is logged. */
import type { ServerResponse } from 'node:http'
import { request } from 'node:http'
import { connect } from 'node:net'
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
import { answerOk, openUpstream, type Upstream } from '../../support/upstream.ts'
import { piece } from './events.ts'

const stages: Record<string, (response: ServerResponse) => void> = {
  'before the provider answers': () => undefined,
  'after the head': (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  'in the middle of the answer': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${piece('hi')}\n\n`)
  },
}

/** The stages between the caller and the provider. */
const ways: Record<string, (leaf: Record<string, unknown>) => Record<string, unknown>> = {
  'a target': (leaf) => leaf,
  'a target with a timeout and retries': (leaf) => ({
    ...leaf,
    request_timeout: 60_000,
    retry: { attempts: 3 },
  }),
  'a fallback': (leaf) => ({ strategy: { mode: 'fallback' }, targets: [leaf, leaf] }),
  'a cache': (leaf) => ({ ...leaf, cache: { mode: 'simple' } }),
  'a breaker': (leaf) => ({ ...leaf, cb_config: { failure_threshold: 1, cooldown_interval: 60_000 } }),
}

describe('a caller who disconnects', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  /** A request that is aborted as soon as the provider's answer has reached the given point. */
  async function leave(
    config: Record<string, unknown>,
    stream: boolean,
    begin: (response: ServerResponse) => void,
  ) {
    const provider = { isCalled: false, isGone: false }
    upstream.handle((_request, response) => {
      response.on('close', () => {
        provider.isGone = true
      })
      begin(response)
      provider.isCalled = true
    })
    const headers = {
      'content-type': 'application/json',
      'x-gateway-api-key': adminKey,
      ...configHeader(config),
    }
    const call = request(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers })
    call.on('error', () => undefined)
    let isHeard = false
    call.on('response', (response) => {
      response.on('error', () => undefined)
      response.on('data', () => {
        isHeard = true
      })
    })
    call.end(JSON.stringify(chat(`hi ${Math.random()}`, { stream })))
    await until('the provider is called', () => provider.isCalled)
    if (stream && begin === stages['in the middle of the answer'])
      await until('the caller receives', () => isHeard)
    call.destroy()
    await until('the call of the provider is gone', () => provider.isGone)
  }

  for (const [way, wrap] of Object.entries(ways)) {
    for (const [when, begin] of Object.entries(stages)) {
      for (const stream of [false, true]) {
        it(`aborts the ${stream ? 'streamed' : 'plain'} call through ${way} ${when}, and causes no further call`, async () => {
          const calls = upstream.seen.length
          const lines = gateway.logs.length
          await leave(wrap(target(upstream.url)), stream, begin)
          await until('the request is logged', () => gateway.logs.slice(lines).some(({ path }) => path))
          const own = gateway.logs.slice(lines)
          expect(own.filter(({ level }) => Number(level) > 30)).to.deep.equal([])
          expect(own.at(-1)).to.include({ outcome: 'client_closed_request' })
          expect(upstream.seen).to.have.length(calls + 1)
        })
      }
    }
  }

  it('aborts the calls of pipelined requests on the same connection, too', async () => {
    let open = 0
    upstream.handle((_request, response) => {
      open += 1
      response.on('close', () => {
        open -= 1
      })
    })
    const body = JSON.stringify(chat('hi', { stream: true }))
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: gateway',
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries({ 'x-gateway-api-key': adminKey, ...configHeader(target(upstream.url)) }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
    ]
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`.repeat(3))
    await until('the provider is called for all', () => open === 3)
    socket.destroy()
    await until('the calls of the provider are gone', () => open === 0)
  })

  it('in the middle of the request causes no error log', async () => {
    const lines = gateway.logs.length
    const calls = upstream.seen.length
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nx-gateway-api-key: ${adminKey}`
    socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"model":`)
    await until('the request is there', () => gateway.runtime.inFlight.count > 0)
    socket.destroy()
    await until('the request is over', () => gateway.runtime.inFlight.count === 0)
    expect(gateway.logs.slice(lines).filter(({ level }) => Number(level) > 30)).to.deep.equal([])
    expect(upstream.seen).to.have.length(calls)
  })

  it('ends an answer that the gateway itself generates', async () => {
    const leaving = new AbortController()
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': adminKey,
        'x-gateway-provider': 'echo',
      },
      body: JSON.stringify(chat('a b c d', { stream: true, echo: { tokens_per_second: 0.01 } })),
      signal: leaving.signal,
    })
    asked.catch(() => undefined)
    await until('the request is there', () => gateway.runtime.inFlight.count > 0)
    leaving.abort()
    await until('the request is over', () => gateway.runtime.inFlight.count === 0)
  })

  it('does not open a breaker', async () => {
    const config = { ...target(upstream.url), cb_config: { failure_threshold: 1, cooldown_interval: 60_000 } }
    for (const begin of Object.values(stages)) await leave(config, true, begin)
    upstream.handle(answerOk)
    const response = await gateway.post('/v1/chat/completions', chat('hi'), configHeader(config))
    expect(response.status).to.equal(200)
  })
})
