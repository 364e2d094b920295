/** The webhook check with a real HTTP server: its requests, and the effect of the server's answers. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Check, CheckIo } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'

/** A minimal version of the gateway's function for checks. */
const fetchJson: CheckIo['fetchJson'] = async ({ method, url, headers, json: body, timeoutMs }) => {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs),
    redirect: 'manual',
  })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    json: text === '' ? null : JSON.parse(text),
  }
}

describe('the webhook check', () => {
  const webhook = plugin.checks.find(({ id }) => id === 'webhook') as Check
  let server: Server
  let webhookURL: string
  let respond: (response: ServerResponse) => void
  const seen: { request: IncomingMessage; body: unknown }[] = []

  const answer = (status: number, body: object) => (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  before(async () => {
    server = createServer(async (request, response) => {
      seen.push({ request, body: await json(request) })
      respond(response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    webhookURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/judge`
  })

  beforeEach(() => {
    seen.length = 0
  })

  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('posts the request with only the headers of its parameters', async () => {
    respond = answer(200, { verdict: true })
    await runCheck(webhook, {
      parameters: { webhookURL, headers: { 'x-hook-key': 'k1' } },
      text: 'hello',
      provider: 'echo',
      metadata: { team: 'a' },
      headers: { authorization: 'Bearer secret', 'x-team': 'a' },
      io: { fetchJson },
    })
    const { request, body } = seen[0] ?? expect.fail('the server was not called')
    expect(request.method).to.equal('POST')
    expect(request.headers)
      .to.include({ 'x-hook-key': 'k1' })
      .and.not.have.any.keys('authorization', 'x-team')
    expect(body).to.deep.equal({
      request: {
        json: { model: 'test-model', messages: [{ role: 'user', content: 'hello' }] },
        text: 'hello',
      },
      response: { json: null, text: '', status: null },
      provider: 'echo',
      requestType: 'chatComplete',
      metadata: { team: 'a' },
      eventType: 'beforeRequestHook',
    })
  })

  it('posts request and answer after the request', async () => {
    respond = answer(200, { verdict: true })
    const response = { choices: [{ index: 0, text: 'there' }] }
    await runCheck(webhook, {
      parameters: { webhookURL },
      phase: 'after',
      endpoint: 'complete',
      request: { model: 'm', prompt: 'hello' },
      response,
      io: { fetchJson },
    })
    expect(seen[0]?.body).to.deep.include({
      request: { json: { model: 'm', prompt: 'hello' }, text: 'hello' },
      response: { json: response, text: 'there', status: 200 },
      eventType: 'afterRequestHook',
    })
  })

  it('returns the verdict, the data and the changed request of the server', async () => {
    const changed = { model: 'm', messages: [{ role: 'user', content: 'changed' }] }
    respond = answer(200, {
      verdict: false,
      data: { reason: 'r' },
      transformedData: { request: { json: changed } },
    })
    const outcome = await runCheck(webhook, { parameters: { webhookURL }, text: 'hello', io: { fetchJson } })
    expect(outcome).to.deep.include({ verdict: false, data: { reason: 'r' }, body: changed, text: 'changed' })
  })

  for (const [name, reply] of [
    ['a status that is not 2xx', answer(503, { verdict: true })],
    ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/other' }).end()],
    ['no verdict', answer(200, { result: true })],
    ['a connection that breaks', (response: ServerResponse) => response.destroy()],
    ['no answer within its timeout', () => undefined],
  ] as const)
    it(`treats ${name} as an error`, async () => {
      respond = reply
      const run = runCheck(webhook, { parameters: { webhookURL, timeout: 100 }, io: { fetchJson } })
      const outcome = await run.then(
        () => 'a verdict',
        (error: unknown) => error,
      )
      expect(outcome).to.be.instanceOf(Error)
    })
})
