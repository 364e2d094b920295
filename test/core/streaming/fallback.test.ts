/** A stream falls back to the next target until its first content byte has been sent, and not after. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import {
  chatChunk,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'
import { bytesOf, dataOf, errorCodeOf, piece, textOf } from './events.ts'

const opening = `data: ${JSON.stringify(chatChunk({ role: 'assistant', content: '' }))}\n\n`

const begin = async (response: ServerResponse, text: string) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  await new Promise((resolve) => response.write(text, resolve))
}

/** Failures of a first target before its first content. */
const failures: Record<string, (response: ServerResponse) => unknown> = {
  'an error status': (response) => sendJson(response, 503, { error: { message: 'no' } }),
  'a reset': (response) => response.socket?.resetAndDestroy(),
  'an answer that is not a stream': (response) => sendJson(response, 200, { choices: [] }),
  'an empty stream': (response) => sendEvents(response, []),
  'a stream that breaks off after its opening': async (response) => {
    await begin(response, opening)
    response.socket?.resetAndDestroy()
  },
  'a stream that ends after its opening': (response) => sendEvents(response, [opening]),
  'an error event': (response) => sendEvents(response, ['data: {"error":{"message":"no"}}\n\n']),
  'an error event after its opening': (response) =>
    sendEvents(response, [opening, 'data: {"error":{"message":"no"}}\n\n']),
}

describe('a stream with a fallback', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let spare: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
    spare = await openUpstream((_request, response) => sendEvents(response, chatEvents('spare')))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await spare.close()
  })

  const ask = () =>
    gateway.post(
      '/v1/chat/completions',
      chat('hi', { stream: true }),
      configHeader({ strategy: { mode: 'fallback' }, targets: [target(upstream.url), target(spare.url)] }),
    )

  for (const [name, fail] of Object.entries(failures)) {
    it(`continues after ${name}, and returns nothing of the failed stream`, async () => {
      upstream.handle((_request, response) => void fail(response))
      const response = await ask()
      expect(response.status).to.equal(200)
      expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
      expect(dataOf(await bytesOf(response))).to.deep.equal(dataOf(Buffer.from(chatEvents('spare').join(''))))
    })
  }

  for (const [name, rest] of [
    ['an error event', 'data: {"error":{"message":"no","code":"no"}}\n\n'],
    ['a stream that ends without [DONE]', ''],
  ] as const) {
    it(`does not continue after content, at ${name}`, async () => {
      const calls = spare.seen.length
      upstream.handle((_request, response) => sendEvents(response, [`data: ${piece('said')}\n\n${rest}`]))
      const response = await ask()
      expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[0]')
      const events = dataOf(await bytesOf(response))
      expect(textOf(events)).to.equal('said')
      expect(events).to.have.length(2).and.not.include('[DONE]')
      expect(errorCodeOf(events.at(-1))).to.be.a('string')
      expect(spare.seen).to.have.length(calls)
    })
  }
})
