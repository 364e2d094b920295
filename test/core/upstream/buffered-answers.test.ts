/** Memory is limited: each buffered answer, and all of them together. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { adminKey, chat, configHeader } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'
import { chatAnswer, type Handler, sendJson } from '../../support/upstream.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte

/** An answer of about this size. */
const answers =
  (bytes: number): Handler =>
  (_, response) =>
    sendJson(response, 200, chatAnswer('x'.repeat(bytes)))

/** Never ends by itself. */
const answersForEver: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"text":"')
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(64 * kilobyte)));
  }
  response.on('drain', more)
  more()
}

describe('a buffered answer', () => {
  const scene = openScene(() => ({ upstream: { max_answer_bytes: '1mb' } }))

  it('may have upstream.max_answer_bytes bytes', async () => {
    scene.answers.a = answers(megabyte - kilobyte)
    expect((await scene.ask(scene.leaf('a'))).status).to.equal(200)
  })

  for (const [name, answer] of [
    ['has a larger length', answers(2 * megabyte)],
    ['never ends', answersForEver],
  ] as const) {
    it(`is aborted at the limit when it ${name}: a connection error, so that a fallback continues`, async () => {
      scene.answers.a = answer
      const alone = await scene.ask(scene.leaf('a'))
      expect([alone.status, alone.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
      const reply = await scene.ask(tree('fallback', [scene.leaf('a'), scene.leaf('b')]))
      expect(reply.status).to.equal(200)
      expect(scene.calls()).to.deep.equal(['a', 'a', 'b'])
    })
  }

  it('has a higher limit when it contains embeddings', async () => {
    const vector = Array.from({ length: 400_000 }, () => 0.125)
    scene.answers.a = (_, response) =>
      sendJson(response, 200, { object: 'list', model: 'm', data: [{ index: 0, embedding: vector }] })
    const body = { model: 'm', input: 'x' }
    expect((await scene.ask(scene.leaf('a'), { path: '/v1/embeddings', body })).status).to.equal(200)
  })

  it('has no limit when its bytes are forwarded as they arrive', async () => {
    scene.answers.a = (_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.end(Buffer.alloc(5 * megabyte))
    }
    const body = { model: 'm', input: 'x', voice: 'alloy' }
    const reply = await scene.ask(scene.leaf('a'), { path: '/v1/audio/speech', body })
    expect([reply.status, reply.text.length]).to.deep.equal([200, 5 * megabyte])
  })
})

describe('the memory limit of a process', () => {
  const limit = 2 * megabyte
  const scene = openScene((origin) => ({
    server: { max_buffered_bytes: limit },
    providers: { listed: { provider: 'openai', api_key: 'k', custom_host: `${origin}/listed/v1` } },
  }))
  const held = () => scene.gateway.runtime.buffers.heldBytes
  const release = () => turnUntil(() => held() === 0, 'the end of all buffers')

  /** Sends a part of the answer, and the rest when told to. */
  const stalls = (bytes: number, type: string) => {
    const open: ServerResponse[] = []
    const handler: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': type })
      response.write(`${type === 'application/json' ? '{"text":"' : 'data: "'}${'x'.repeat(bytes)}`)
      open.push(response)
    }
    const end = () => {
      for (const response of open.splice(0)) response.destroy()
    }
    return { handler, end }
  }

  const overloaded = (reply: {
    status: number
    error: { type?: string; code?: string }
    headers: Headers
  }) => {
    expect([reply.status, reply.error.type, reply.error.code]).to.deep.equal([
      503,
      'service_error',
      'overloaded',
    ])
    expect(reply.headers.get('retry-after')).to.equal('1')
  }

  it('is not exhausted by one endless answer', async () => {
    scene.answers.a = answersForEver
    overloaded(await scene.ask(scene.leaf('a')))
    await release()
  })

  it('is shared: with eight endless answers, the health routes still answer', async () => {
    scene.answers.a = answersForEver
    const asked = Promise.all(Array.from({ length: 8 }, () => scene.ask(scene.leaf('a'))))
    expect((await scene.gateway.get('/healthz')).status).to.equal(200)
    expect((await scene.gateway.get('/readyz')).status).to.equal(200)
    for (const reply of await asked) overloaded(reply)
    await release()
    scene.answers.a = 200
    expect((await scene.ask(scene.leaf('a'))).status).to.equal(200)
  })

  it('when exhausted, is not a target failure: no retry, no fallback, no count in a breaker', async () => {
    scene.answers.a = answersForEver
    const leaf = scene.leaf('a', {
      retry: { attempts: 3, on_status_codes: [503] },
      strategy: undefined,
      cb_config: { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: [503] },
    })
    const config = { ...tree('fallback', [leaf, scene.leaf('b')]) }
    overloaded(await scene.ask(config))
    overloaded(await scene.ask(config))
    expect(scene.calls()).to.deep.equal(['a', 'a'])
    await release()
  })

  for (const [what, type, stream] of [
    ['an answer', 'application/json', false],
    ['an event of a stream', 'text/event-stream', true],
  ] as const) {
    it(`is released when the caller who waited for ${what} disconnects`, async () => {
      const stalling = stalls(1.5 * megabyte, type)
      scene.answers.a = stalling.handler
      const caller = new AbortController()
      const left = fetch(`${scene.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': adminKey,
          ...configHeader(scene.leaf('a')),
        },
        body: JSON.stringify(chat('x', { stream })),
        signal: caller.signal,
      }).catch(() => null)
      await turnUntil(() => held() > 1.4 * megabyte, 'the part of the answer')
      scene.answers.b = answers(megabyte)
      overloaded(await scene.ask(scene.leaf('b')))
      caller.abort()
      await left
      await release()
      stalling.end()
      expect((await scene.ask(scene.leaf('b'))).status).to.equal(200)
    })
  }

  it('includes requests', async () => {
    const body = chat('x'.repeat(3 * megabyte))
    overloaded(await scene.ask({ provider: 'echo' }, { body }))
    await release()
    expect((await scene.ask({ provider: 'echo' }, { body: chat('x'.repeat(100_000)) })).status).to.equal(200)
    await release()
  })

  const vendorCheck = (name: string, more: object = {}) => ({
    id: 'vendor',
    checks: [{ id: 'presidio.anonymize', parameters: { url: scene.hostOf(name) } }],
    ...more,
  })

  it('includes the answers to service checks, and never skips a check for lack of memory', async () => {
    scene.answers.vendor = answersForEver
    const config = { provider: 'echo', before_request_hooks: [vendorCheck('vendor')] }
    for (let round = 0; round < 7; round += 1) overloaded(await scene.ask(config))
    await release()
    // The vendor did not fail: its circuit is closed.
    expect(scene.calls()).to.have.length(7)
  })

  it('is released when a check ends', async () => {
    const bytes = 1.2 * megabyte
    scene.answers.vendor = (_, response) =>
      sendJson(response, 200, [{ entity_type: 'x'.repeat(bytes), start: 0, end: 1, score: 0 }])
    const hooks = [vendorCheck('vendor'), vendorCheck('vendor', { id: 'again' })]
    const reply = await scene.ask({ provider: 'echo', before_request_hooks: hooks })
    expect(reply.status).to.equal(200)
    await release()
  })

  it('includes model lists', async () => {
    scene.answers.listed = answersForEver
    const { gateway } = scene
    const response = await gateway.get('/v1/models', { 'x-gateway-provider': '@listed' })
    const { error } = (await response.json()) as { error: object }
    overloaded({ status: response.status, headers: response.headers, error })
    await release()
    // The provider did not fail: it is called again immediately.
    scene.answers.listed = (_, answer) => sendJson(answer, 200, { object: 'list', data: [{ id: 'seen' }] })
    const again = await gateway.get('/v1/models', { 'x-gateway-provider': '@listed' })
    expect(await again.text()).to.contain('seen')
  })

  it('includes answers to the test of a credential', async () => {
    scene.answers.tried = answersForEver
    const { gateway } = scene
    const created = await gateway.post('/v1/integrations', {
      name: 'tried',
      ai_provider_id: 'openai',
      workspace_id: 'default',
      key: 'k',
      configurations: { custom_host: scene.hostOf('tried') },
    })
    const { id } = (await created.json()) as { id: string }
    for (const [path, method] of [
      [`/v1/integrations/${id}/test`, 'POST'],
      [`/v1/integrations/${id}/models`, 'GET'],
    ] as const) {
      const response = await (method === 'POST' ? gateway.post(path, {}) : gateway.get(path))
      const { error } = (await response.json()) as { error: object }
      overloaded({ status: response.status, headers: response.headers, error })
      await release()
    }
  })

  it('is unused when the gateway is idle', async () => {
    await scene.ask({ provider: 'echo' })
    await scene.ask({ provider: 'echo' }, { body: chat('x', { stream: true }) })
    await scene.gateway.get('/v1/models')
    await release()
  })
})
