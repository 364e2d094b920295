/** Clients of files and batches, unmodified, against the gateway. */
import Anthropic from '@anthropic-ai/sdk'
import { expect } from 'chai'
import OpenAI, { toFile } from 'openai'
import { Portkey } from 'portkey-ai'
import { type FakeProvider, openFakeProvider } from '../plugins/batches/fake-provider.ts'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const lines = ['a', 'b']
  .map((id) =>
    JSON.stringify({
      custom_id: id,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'echo-1', messages: [{ role: 'user', content: id }] },
    }),
  )
  .join('\n')

describe('clients for files and batches:', () => {
  let gateway: TestGateway
  let provider: FakeProvider
  before(async () => {
    provider = await openFakeProvider()
    gateway = await startGateway({
      server: { header_prefixes: ['x-portkey-'] },
      providers: {
        claude: { provider: 'anthropic', api_key: 'sk-ant', custom_host: provider.url },
        up: { provider: 'openai', api_key: 'sk-test', custom_host: provider.url },
        local: { provider: 'echo' },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })

  async function ended<T extends { status?: string | null }>(read: () => Promise<T>): Promise<T> {
    return until('the batch ends', async () => {
      const batch = await read()
      return batch.status === 'completed' ? batch : null
    })
  }

  it('openai uploads, runs a batch and reads its output', async () => {
    const client = new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1` })
    const file = await client.files.create({
      file: await toFile(Buffer.from(lines), 'in.jsonl'),
      purpose: 'batch',
    })
    expect(file.id).to.match(/^gwfile-/)
    const ids: string[] = []
    for await (const one of client.files.list()) ids.push(one.id)
    expect(ids).to.include(file.id)
    expect(await (await client.files.content(file.id)).text()).to.equal(lines)
    const target = { headers: { 'x-gateway-virtual-key': 'local' } }
    const batch = await client.batches.create(
      {
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        metadata: { a: 'b' },
      },
      target,
    )
    const done = await ended(() => client.batches.retrieve(batch.id))
    expect(done.request_counts).to.deep.equal({ total: 2, completed: 2, failed: 0 })
    const output = await (await client.files.content(String(done.output_file_id))).text()
    expect(output.trim().split('\n')).to.have.length(2)
    const batches: string[] = []
    for await (const one of client.batches.list({ limit: 1 })) batches.push(one.id)
    expect(batches).to.include(batch.id)
    expect((await client.files.delete(file.id)).deleted).to.equal(true)
    const refused = await client.batches.cancel(batch.id).catch((error: unknown) => error)
    expect((refused as { status: number }).status).to.equal(409)
  })

  it('openai uses the files and batches of a provider', async () => {
    const client = new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      defaultHeaders: { 'x-gateway-virtual-key': 'up' },
    })
    const file = await client.files.create({
      file: await toFile(Buffer.from(lines), 'in.jsonl'),
      purpose: 'batch',
    })
    expect(provider.files.get(file.id)?.bytes.toString()).to.equal(lines)
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    })
    expect((await client.batches.retrieve(batch.id)).status).to.equal('in_progress')
    expect((await client.batches.cancel(batch.id)).status).to.equal('cancelled')
    expect((await client.files.delete(file.id)).deleted).to.equal(true)
    provider.batches.clear()
  })

  it('@anthropic-ai/sdk runs Message Batches', async () => {
    const client = new Anthropic({
      apiKey: adminKey,
      baseURL: gateway.url,
      defaultHeaders: { 'x-gateway-virtual-key': 'claude' },
    })
    const { batches } = client.messages
    const made = await batches.create({
      requests: [
        {
          custom_id: 'one',
          params: { model: 'claude-sonnet-4-6', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] },
        },
      ],
    })
    expect((await batches.retrieve(made.id)).processing_status).to.equal('in_progress')
    const ids: string[] = []
    for await (const one of batches.list()) ids.push(one.id)
    expect(ids).to.deep.equal([made.id])
    provider.finish()
    const results: string[] = []
    for await (const { custom_id, result } of await batches.results(made.id))
      results.push(`${custom_id} ${result.type}`)
    expect(results).to.deep.equal(['one succeeded'])
    await batches.cancel(made.id)
    expect((await batches.delete(made.id)).id).to.equal(made.id)
  })

  it('portkey-ai uploads, runs a batch and reads its output', async () => {
    const client = new Portkey({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, virtualKey: 'local' })
    const managed = new Portkey({ apiKey: adminKey, baseURL: `${gateway.url}/v1` })
    const file = (await managed.files.create({
      file: new File([lines], 'in.jsonl'),
      purpose: 'batch',
    })) as { id: string }
    expect(file.id).to.match(/^gwfile-/)
    const batch = (await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    })) as { id: string }
    const done = await ended(
      async () => (await managed.batches.retrieve(batch.id)) as { status?: string; output_file_id?: string },
    )
    expect(done.output_file_id).to.match(/^gwfile-/)
  })
})
