/** Batches run by a provider: for a file of the gateway, and forwarded ones. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type FakeProvider, openFakeProvider } from './fake-provider.ts'
import { ask, download, formOf, type Json, messageAnswer, upload } from './fixtures.ts'
import { jsonl, chatLine as line, parseLines as parse } from './provider-gateway.ts'

describe('batches run by a provider', () => {
  let gateway: TestGateway
  let provider: FakeProvider
  before(async () => {
    provider = await openFakeProvider()
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: {
        up: { provider: 'openai', api_key: 'sk-test', custom_host: provider.url },
        claude: { provider: 'anthropic', api_key: 'sk-ant', custom_host: provider.url },
        fast: { provider: 'groq', api_key: 'gsk', custom_host: provider.url },
      },
      guardrails: {
        clean: {
          checks: [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }],
          deny: true,
        },
      },
      configs: {
        guarded: { provider: '@up', input_guardrails: ['clean'], output_guardrails: ['clean'] },
        two: { strategy: { mode: 'fallback' }, targets: [{ provider: '@up' }, { provider: '@fast' }] },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })
  const seenBefore = () => provider.seen.length

  const up = { 'x-gateway-virtual-key': 'up' }
  const create = async (lines: readonly Json[], headers: Record<string, string> = up, rest: Json = {}) => {
    const id = (await upload(gateway, jsonl(lines))).body.id
    return ask(gateway, 'POST /v1/batches', {
      headers,
      body: { input_file_id: id, completion_window: '24h', endpoint: '/v1/chat/completions', ...rest },
    })
  }
  const read = async (id: unknown, query = '') => (await ask(gateway, `GET /v1/batches/${id}${query}`)).body
  const batchWhen = (id: unknown, holds: (batch: Json) => boolean): Promise<Json> =>
    until('the batch gets there', async () => {
      const batch = await read(id)
      return holds(batch) ? batch : null
    })
  const isOver = ({ status }: Json) => /^(completed|failed|cancelled|expired)$/.test(String(status))
  const submitted = async (id: unknown) => {
    return until('the batch is submitted', async () => {
      const batch = await read(id, '?include_provider_details=true')
      const details = batch.provider_details as Json | null
      return details?.batch_id != null || isOver(batch) ? batch : null
    })
  }
  const content = async (id: unknown) => parse((await download(gateway, `/v1/files/${id}/content`)).text)

  it('are submitted once, polled, and stored as files of the gateway in input order', async () => {
    const { status, body } = await create([line('a'), line('b'), line('c')], up, { metadata: { team: 'x' } })
    expect([status, body.status]).to.deep.equal([200, 'validating'])
    const before = await submitted(body.id)
    const details = before.provider_details as Json
    expect(details.provider).to.equal('openai')
    const theirs = provider.batches.get(String(details.batch_id)) as Json
    expect(theirs.metadata).to.deep.equal({ team: 'x', gateway_batch_id: body.id })
    expect(theirs.completion_window).to.equal('24h')
    const sent = parse(provider.files.get(String(theirs.input_file_id))?.bytes.toString('utf8') ?? '')
    expect(sent.map(({ custom_id, url }) => [custom_id, url])).to.deep.equal(
      ['a', 'b', 'c'].map((id) => [id, '/v1/chat/completions']),
    )
    provider.finish()
    const batch = await batchWhen(body.id, isOver)
    expect(batch).to.deep.include({
      status: 'completed',
      error_file_id: null,
      request_counts: { total: 3, completed: 3, failed: 0 },
    })
    const output = await content(batch.output_file_id)
    expect(output.map(({ custom_id }) => custom_id)).to.deep.equal(['a', 'b', 'c'])
    // Half of the price: 1000 × 0.0002 and 500 × 0.0008 cents, for three lines.
    expect(batch.cost).to.be.closeTo(((1000 * 0.0002 + 500 * 0.0008) / 2) * 3, 1e-6)
    expect(provider.batches.size).to.equal(1)
    provider.batches.clear()
  })

  it('run input and output guardrails on each line', async () => {
    const { answer } = provider
    provider.answer = (sent, id) =>
      id === 'b'
        ? {
            status: 200,
            body: {
              ...answer(sent, id).body,
              choices: [
                { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a secret' } },
              ],
            },
          }
        : answer(sent, id)
    const { body } = await create([line('a', 'a secret'), line('b'), line('c')], {
      'x-gateway-config': 'guarded',
    })
    await submitted(body.id)
    const [theirs] = [...provider.batches.values()]
    const sent = parse(provider.files.get(String(theirs?.input_file_id))?.bytes.toString('utf8') ?? '')
    expect(sent.map(({ custom_id }) => custom_id)).to.deep.equal(['b', 'c'])
    provider.finish()
    const batch = await batchWhen(body.id, isOver)
    expect(batch.request_counts).to.deep.equal({ total: 3, completed: 1, failed: 2 })
    const errors = await content(batch.error_file_id)
    expect(
      errors.map(({ custom_id, response, error }) => [
        custom_id,
        (response as Json).status_code,
        (error as Json).code,
      ]),
    ).to.deep.equal([
      ['a', 446, 'guardrail_denied'],
      ['b', 446, 'guardrail_denied'],
    ])
    provider.answer = answer
    provider.batches.clear()
  })

  it('are translated to Message Batches and back', async () => {
    const { answer } = provider
    provider.answer = (params) =>
      JSON.stringify(params.messages).includes('bad')
        ? { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } } }
        : messageAnswer('bonjour', 7, 3)(params)
    const { body } = await create(
      [
        line('good', 'hi', { model: 'claude-sonnet-4-6' }),
        line('bad one: not a name of theirs', 'bad', { model: 'claude-sonnet-4-6' }),
      ],
      { 'x-gateway-virtual-key': 'claude' },
    )
    await submitted(body.id)
    const [theirs] = [...provider.batches.values()]
    const [request] = (theirs as { requests: { params: Json }[] }).requests
    expect(request?.params.max_tokens).to.equal(10)
    provider.finish()
    const batch = await batchWhen(body.id, isOver)
    expect(batch.request_counts).to.deep.equal({ total: 2, completed: 1, failed: 1 })
    const [output] = await content(batch.output_file_id)
    const { choices } = (output as { response: { body: { choices: { message: Json }[] } } }).response.body
    expect(choices[0]?.message.content).to.equal('bonjour')
    expect((batch.usage as Json).total_tokens).to.equal(10)
    provider.answer = answer
    provider.batches.clear()
  })

  it('are cancelled at the provider', async () => {
    const { body } = await create([line('a')])
    await submitted(body.id)
    const cancelled = await ask(gateway, `POST /v1/batches/${body.id}/cancel`)
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelling'])
    expect(await batchWhen(body.id, isOver)).to.deep.include({ status: 'cancelled', output_file_id: null })
    expect([...provider.batches.values()][0]?.status).to.equal('cancelled')
    provider.batches.clear()
  })

  it('are refused by a provider without batches, and for more than one target', async () => {
    const seen = seenBefore()
    const without = await create([line('a')], { 'x-gateway-virtual-key': 'fast' })
    expect([without.status, without.body.error?.code]).to.deep.equal([400, 'unsupported_endpoint'])
    const two = await create([line('a')], { 'x-gateway-config': 'two' })
    expect([two.status, two.body.error?.code, two.body.error?.param]).to.deep.equal([
      400,
      'no_provider',
      'header/x-gateway-virtual-key',
    ])
    expect(provider.seen.length).to.equal(seen)
  })

  describe('forwarded to the provider', () => {
    it("keep the provider's files and ids", async () => {
      const made = await ask(gateway, 'POST /v1/files', {
        body: formOf('text of a file', { purpose: 'batch' }),
        headers: up,
      })
      expect(made.status).to.equal(200)
      expect(String(made.body.id)).to.match(/^file-\d+$/)
      const id = String(made.body.id)
      expect(provider.files.get(id)?.bytes.toString()).to.equal('text of a file')
      expect((await ask(gateway, `GET /v1/files/${id}`, { headers: up })).body.filename).to.equal(
        'input.jsonl',
      )
      expect((await download(gateway, `/v1/files/${id}/content`, up)).text).to.equal('text of a file')
      const listed = await ask(gateway, 'GET /v1/files?purpose=batch', { headers: up })
      expect((listed.body.data as Json[]).map((one) => one.id)).to.include(id)
      expect(provider.seen.at(-1)?.path).to.equal('/v1/files?purpose=batch')
      const batch = await ask(gateway, 'POST /v1/batches', {
        headers: up,
        body: {
          input_file_id: id,
          completion_window: '24h',
          endpoint: '/v1/chat/completions',
          anything: 1,
          gateway_options: { metadata: { a: 'b' } },
        },
      })
      expect([batch.status, batch.body.anything]).to.deep.equal([200, 1])
      expect(provider.seen.at(-1)?.json).to.not.have.property('gateway_options')
      const batchId = batch.body.id
      expect((await ask(gateway, `GET /v1/batches/${batchId}`, { headers: up })).body.id).to.equal(batchId)
      expect(
        (await ask(gateway, `POST /v1/batches/${batchId}/cancel`, { headers: up })).body.status,
      ).to.equal('cancelled')
      expect((await ask(gateway, `DELETE /v1/files/${id}`, { headers: up })).body.deleted).to.equal(true)
      const gone = await ask(gateway, `GET /v1/files/${id}`, { headers: up })
      expect([gone.status, gone.body.provider]).to.deep.equal([404, 'openai'])
      provider.batches.clear()
    })

    it('are charged once when the provider has finished them', async () => {
      const bytes = Buffer.from(jsonl([line('a'), line('b')]))
      provider.files.set('file-w', { id: 'file-w', purpose: 'batch', filename: 'w', bytes })
      const { body } = await ask(gateway, 'POST /v1/batches', {
        headers: { ...up, 'x-gateway-trace-id': 'watched' },
        body: { input_file_id: 'file-w', completion_window: '24h', endpoint: '/v1/chat/completions' },
      })
      expect(String(body.id)).to.match(/^batch-/)
      provider.finish()
      const { log } = gateway.runtime.store
      const find = () =>
        log.list({ fields: { trace_id: ['watched'], endpoint_type: ['chatComplete'] } }, { limit: 10 })
      const found = await until('both lines are logged', async () => {
        const logged = await find()
        return logged.length >= 2 ? logged : null
      })
      expect(found.map(({ fields }) => fields.req_units)).to.deep.equal([1000, 1000])
      expect(found[0]?.fields.cost).to.be.closeTo((1000 * 0.0002 + 500 * 0.0008) / 2, 1e-6)
      const listed = await ask(gateway, 'GET /v1/batches')
      expect((listed.body.data as Json[]).map(({ input_file_id }) => input_file_id)).to.not.include('file-w')
      provider.batches.clear()
    })

    it('require exactly one target', async () => {
      const reply = await ask(gateway, 'GET /v1/files', { headers: { 'x-gateway-config': 'two' } })
      expect([reply.status, reply.body.error?.code, reply.body.error?.param]).to.deep.equal([
        400,
        'no_provider',
        'header/x-gateway-virtual-key',
      ])
    })

    it("are downloaded first when the gateway runs the lines of a provider's file", async () => {
      provider.files.set('file-x', {
        id: 'file-x',
        purpose: 'batch',
        filename: 'x',
        bytes: Buffer.from(jsonl([line('a')])),
      })
      const { body } = await ask(gateway, 'POST /v1/batches', {
        headers: up,
        body: { input_file_id: 'file-x', completion_window: 'immediate', endpoint: '/v1/chat/completions' },
      })
      expect(await batchWhen(body.id, isOver)).to.deep.include({
        input_file_id: 'file-x',
        status: 'completed',
      })
      const missing = await ask(gateway, 'POST /v1/batches', {
        headers: up,
        body: { input_file_id: 'file-y', completion_window: 'immediate', endpoint: '/v1/chat/completions' },
      })
      expect([missing.status, missing.body.error?.code, missing.body.error?.param]).to.deep.equal([
        400,
        'invalid_file',
        '/input_file_id',
      ])
    })
  })
})
