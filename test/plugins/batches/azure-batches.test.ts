/** Batches of Azure: in the form of its API version, and always with `/v1` for callers. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type FakeProvider, openFakeProvider } from './fake-provider.ts'
import { ask, formOf, type Json, upload } from './fixtures.ts'
import { chatLine, isOver, jsonl, parseLines } from './provider-gateway.ts'

const dated = '2024-10-21'

describe('batches of Azure', () => {
  let provider: FakeProvider
  let gateway: TestGateway
  before(async () => {
    provider = await openFakeProvider()
    const openai = { provider: 'azure-openai', api_key: 'key', resource_name: 'r' }
    const deployments = (api_version: string) => [
      { deployment_id: 'prod-4-1', alias: 'gpt-4.1', api_version, is_default: true },
    ]
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: {
        dated: {
          ...openai,
          custom_host: `${provider.origin}/openai`,
          api_version: dated,
          deployments: deployments(dated),
        },
        v1: {
          ...openai,
          custom_host: `${provider.origin}/openai`,
          api_version: 'v1',
          deployments: deployments('v1'),
        },
        foundry: {
          provider: 'azure-ai',
          api_key: 'key',
          custom_host: `${provider.origin}/models`,
          api_version: dated,
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })
  afterEach(() => {
    provider.batches.clear()
    provider.seen.length = 0
  })

  for (const [slug, root, query, url] of [
    ['dated', '/openai', `?api-version=${dated}`, '/chat/completions'],
    ['v1', '/openai/v1', '', '/v1/chat/completions'],
  ] as const)
    it(`are submitted with the endpoints, lines and deployments of version ${slug}`, async () => {
      const headers = { 'x-gateway-virtual-key': slug }
      const file = (await upload(gateway, jsonl([chatLine('a')]))).body.id
      const { status, body } = await ask(gateway, 'POST /v1/batches', {
        headers,
        body: { input_file_id: file, completion_window: '24h', endpoint: '/v1/chat/completions' },
      })
      expect(status, JSON.stringify(body)).to.equal(200)
      const read = async () => (await ask(gateway, `GET /v1/batches/${body.id}`)).body
      await until('the batch is submitted', () => provider.batches.size > 0)
      const [theirs] = [...provider.batches.values()]
      expect(theirs?.endpoint).to.equal(url)
      const [line] = parseLines(
        provider.files.get(String(theirs?.input_file_id))?.bytes.toString('utf8') ?? '',
      )
      expect([line?.url, (line as { body: Json }).body.model]).to.deep.equal([url, 'prod-4-1'])
      expect(provider.seen.map(({ path }) => path)).to.include.members([
        `${root}/files${query}`,
        `${root}/batches${query}`,
      ])
      provider.finish()
      const batch = await until('the batch ends', async () => {
        const found = await read()
        return isOver(found) ? found : null
      })
      expect(batch).to.deep.include({ status: 'completed', endpoint: '/v1/chat/completions' })
    })

  it('are forwarded with the endpoint of the version, and returned with /v1', async () => {
    const headers = { 'x-gateway-virtual-key': 'dated' }
    const body = { input_file_id: 'file-1', completion_window: '24h', endpoint: '/v1/embeddings' }
    const made = await ask(gateway, 'POST /v1/batches', { headers, body })
    expect([made.status, made.body.endpoint]).to.deep.equal([200, '/v1/embeddings'])
    expect(provider.seen.at(-1)?.json?.endpoint).to.equal('/embeddings')
    const listed = await ask(gateway, 'GET /v1/batches', { headers })
    expect((listed.body.data as Json[]).map(({ endpoint }) => endpoint)).to.deep.equal(['/v1/embeddings'])
  })

  it('work together with fine-tuning jobs, whose base model is not a deployment', async () => {
    const headers = { 'x-gateway-virtual-key': 'dated' }
    const body = { model: 'gpt-4o-mini', training_file: 'file-1' }
    await ask(gateway, 'POST /v1/fine_tuning/jobs', { headers, body })
    expect(provider.seen.at(-1)?.path).to.equal(`/openai/fine_tuning/jobs?api-version=${dated}`)
    expect(provider.seen.at(-1)?.json).to.deep.equal(body)
  })

  it('of azure-ai use /openai below the origin', async () => {
    const headers = { 'x-gateway-virtual-key': 'foundry' }
    const made = await ask(gateway, 'POST /v1/files', { headers, body: formOf('x', { purpose: 'batch' }) })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(provider.seen.at(-1)?.path).to.equal(`/openai/files?api-version=${dated}`)
    await ask(gateway, 'GET /v1/batches?limit=2', { headers })
    expect(provider.seen.at(-1)?.path).to.equal(`/openai/batches?api-version=${dated}&limit=2`)
  })
})
