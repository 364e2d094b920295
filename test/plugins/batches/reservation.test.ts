/** A batch run by a provider reserves its estimate from usage limits, from its creation to its end. */
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { ask, type Json, makeKey, messageAnswer, upload, usageOfKey } from './fixtures.ts'
import { chatLine, isOver, jsonl, openProviderGateway, type ProviderGateway } from './provider-gateway.ts'

const up = { 'x-gateway-virtual-key': 'up' }

describe('usage limits for a batch run by a provider', () => {
  let opened: ProviderGateway
  before(async () => {
    opened = await openProviderGateway()
  })
  after(() => opened.close())
  afterEach(() => opened.provider.batches.clear())

  async function newKey(usage_limits: Json): Promise<{ id: string; headers: Record<string, string> }> {
    const { id, key } = await makeKey(opened.gateway, { usage_limits })
    return { id, headers: { ...up, 'x-gateway-api-key': key } }
  }
  const usageOf = (id: string) => usageOfKey(opened.gateway, id)
  const refused = (reply: Awaited<ReturnType<typeof ask>>) => [
    reply.status,
    reply.body.error?.code,
    reply.body.error?.param,
  ]
  // Two lines: 2 bytes of input and 10 tokens of output each.
  const lines = [chatLine('a'), chatLine('b')]
  const limits: Json[] = [
    { type: 'tokens', credit_limit: 22 },
    { type: 'requests', credit_limit: 2 },
    // Half of 2 × 0.0002 + 20 × 0.0008 cents, in USD.
    { type: 'cost', credit_limit: (2 * 0.0002 + 20 * 0.0008) / 2 / 100 },
  ]
  for (const limit of limits)
    it(`${limit.type}: refuse a second batch while the first one reserves the whole limit`, async () => {
      const { id, headers } = await newKey(limit)
      const first = await opened.create(lines, { headers })
      expect(first.status, JSON.stringify(first.body)).to.equal(200)
      expect(refused(await opened.create(lines, { headers }))).to.deep.equal([
        412,
        'usage_limit_exceeded',
        `api-keys/${id}`,
      ])
      // Other calls are subject to the same limit; the batch itself continues.
      await opened.submitted(first.body.id)
      const cancelled = await ask(opened.gateway, `POST /v1/batches/${first.body.id}/cancel`, { headers })
      expect(cancelled.status).to.equal(200)
      await opened.until(first.body.id, isOver)
      const third = await opened.create(lines, { headers })
      expect(third.status, JSON.stringify(third.body)).to.equal(200)
      await opened.submitted(third.body.id)
    })

  it('are settled with the usage that the lines report', async () => {
    const { id, headers } = await newKey({ type: 'tokens', credit_limit: 3001 })
    const { body } = await opened.create(lines, { headers })
    await opened.submitted(body.id)
    opened.provider.finish()
    expect(await opened.until(body.id, isOver)).to.deep.include({ status: 'completed' })
    expect(await usageOf(id)).to.equal(3000)
    const next = await opened.create(lines, { headers })
    expect(next.status, JSON.stringify(next.body)).to.equal(200)
  })

  it('are released by a batch that fails', async () => {
    const { headers } = await newKey({ type: 'tokens', credit_limit: 11 })
    const file = (await upload(opened.gateway, `${jsonl([lines[0]])}not json\n`)).body.id
    const body = { input_file_id: file, completion_window: '24h', endpoint: '/v1/chat/completions' }
    const failed = await ask(opened.gateway, 'POST /v1/batches', { headers, body })
    expect(failed.status).to.equal(200)
    expect((await opened.until(failed.body.id, isOver)).status).to.equal('failed')
    expect((await opened.create(lines, { headers })).status).to.equal(200)
  })

  it('refuse a forwarded batch while the limit is exhausted', async () => {
    const { headers } = await newKey({ type: 'tokens', credit_limit: 22 })
    expect((await opened.create(lines, { headers })).status).to.equal(200)
    const bytes = Buffer.from(jsonl(lines))
    opened.provider.files.set('file-late', { id: 'file-late', purpose: 'batch', filename: 'w', bytes })
    const body = { input_file_id: 'file-late', completion_window: '24h', endpoint: '/v1/chat/completions' }
    const reply = await ask(opened.gateway, 'POST /v1/batches', { headers, body })
    expect(reply.status).to.equal(412)
  })

  describe('for a batch created directly at the provider', () => {
    const requests = ['a', 'b'].map((custom_id) => ({
      custom_id,
      params: { model: 'claude-sonnet-4-6', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
    }))
    const createMessages = (headers: Record<string, string>) =>
      ask(opened.gateway, 'POST /v1/messages/batches', {
        headers: { ...headers, 'x-gateway-virtual-key': 'claude' },
        body: { requests },
      })

    it('refuse a second message batch while the first one reserves the whole limit', async () => {
      const { id, headers } = await newKey({ type: 'tokens', credit_limit: 22 })
      const first = await createMessages(headers)
      expect(first.status, JSON.stringify(first.body)).to.equal(200)
      expect(refused(await createMessages(headers))).to.deep.equal([
        412,
        'usage_limit_exceeded',
        `api-keys/${id}`,
      ])
    })

    it('charge message batches once, at batch prices, and log each request', async () => {
      const { id, headers } = await newKey({ type: 'cost', credit_limit: 100 })
      const { provider, gateway } = opened
      const { answer } = provider
      provider.answer = messageAnswer('ok', 1000, 500)
      try {
        const trace = { 'x-gateway-trace-id': 'message-batch' }
        const { body } = await createMessages({ ...headers, ...trace })
        expect(String(body.id)).to.match(/^msgbatch-/)
        provider.finish()
        const { log } = gateway.runtime.store
        const logged = await until('both requests are logged', async () => {
          const found = await log.list(
            { fields: { trace_id: ['message-batch'], endpoint_type: ['messages'] } },
            { limit: 10 },
          )
          return found.length === 2 ? found : null
        })
        const cents = logged.reduce((sum, { fields }) => sum + (fields.cost ?? 0), 0)
        expect(logged.map(({ fields }) => fields.req_units)).to.deep.equal([1000, 1000])
        // Half of 3 and 15 USD for a million tokens.
        expect(cents).to.be.closeTo(100 * (2 * (1000 * 3e-6 + 500 * 15e-6)) * 0.5, 1e-6)
        await until(
          'both requests are charged',
          async () => Math.abs(Number(await usageOf(id)) - cents / 100) < 1e-9,
        )
      } finally {
        provider.answer = answer
      }
    })

    it('refuse a second file batch while the first one reserves the whole limit', async () => {
      const { id, headers } = await newKey({ type: 'requests', credit_limit: 2 })
      const bytes = Buffer.from(jsonl(lines))
      opened.provider.files.set('file-held', { id: 'file-held', purpose: 'batch', filename: 'w', bytes })
      const create = () =>
        ask(opened.gateway, 'POST /v1/batches', {
          headers,
          body: { input_file_id: 'file-held', completion_window: '24h', endpoint: '/v1/chat/completions' },
        })
      const first = await create()
      expect(first.status, JSON.stringify(first.body)).to.equal(200)
      expect(refused(await create())).to.deep.equal([412, 'usage_limit_exceeded', `api-keys/${id}`])
      opened.provider.finish()
      await until('the first one is charged', async () => ((await usageOf(id)) === 2 ? true : null))
      expect(refused(await create())[0]).to.equal(412)
    })
  })
})
