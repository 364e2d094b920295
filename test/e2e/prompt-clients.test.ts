/** Clients of prompts and fine-tuning, unmodified, against the gateway. */
import { expect } from 'chai'
import OpenAI, { toFile } from 'openai'
import { Portkey } from 'portkey-ai'
import { type FakeProvider, openFakeProvider } from '../plugins/batches/fake-provider.ts'
import { ask } from '../plugins/batches/fixtures.ts'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

describe('clients for prompts and fine-tuning:', () => {
  let gateway: TestGateway
  let provider: FakeProvider
  before(async () => {
    provider = await openFakeProvider()
    gateway = await startGateway({
      server: { header_prefixes: ['x-portkey-'] },
      providers: {
        local: { provider: 'echo' },
        up: { provider: 'openai', api_key: 'sk-test', custom_host: provider.url },
      },
    })
    const made = await ask(gateway, 'POST /v1/prompts', {
      body: {
        name: 'Greeting',
        slug: 'greeting',
        string: JSON.stringify([{ role: 'user', content: 'Hello {{name}}' }]),
        model: 'echo-1',
        virtual_key: 'local',
        workspace_id: 'default',
      },
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })

  describe('portkey-ai', () => {
    const client = () => new Portkey({ apiKey: adminKey, baseURL: `${gateway.url}/v1` })
    const variables = { name: 'Ada' }

    it('runs a prompt', async () => {
      const answer = (await client().prompts.completions.create({
        promptID: 'greeting',
        variables,
        max_tokens: 50,
      })) as { choices?: { message: { content: string } }[] }
      expect(JSON.stringify(answer)).to.include('Hello Ada')
    })

    it('streams a prompt', async () => {
      const stream = (await client().prompts.completions.create({
        promptID: 'greeting',
        variables,
        stream: true,
      })) as AsyncIterable<{ choices?: { delta?: { content?: string } }[] }>
      let text = ''
      for await (const chunk of stream) text += chunk.choices?.[0]?.delta?.content ?? ''
      expect(text).to.include('Hello Ada')
    })

    it('renders a prompt', async () => {
      const { success, data } = (await client().prompts.render({ promptID: 'greeting', variables })) as {
        success: boolean
        data: object
      }
      expect(success).to.equal(true)
      expect(data).to.deep.equal({ model: 'echo-1', messages: [{ role: 'user', content: 'Hello Ada' }] })
    })
  })

  describe('openai', () => {
    it('fine-tunes on a file stored by the gateway', async () => {
      const client = new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1` })
      const file = await client.files.create({
        file: await toFile(Buffer.from('{"messages":[]}\n'), 'train.jsonl'),
        purpose: 'fine-tune',
      })
      const target = { headers: { 'x-gateway-virtual-key': 'local' } }
      const job = await client.fineTuning.jobs.create(
        { model: 'm', training_file: file.id, suffix: 's', method: { type: 'supervised' } },
        target,
      )
      expect(job.id).to.match(/^gwftjob-/)
      await until(
        'the job has succeeded',
        async () => (await client.fineTuning.jobs.retrieve(job.id)).status === 'succeeded',
      )
      const listed: string[] = []
      for await (const one of client.fineTuning.jobs.list({ limit: 1 })) listed.push(one.id)
      expect(listed).to.include(job.id)
      const events: string[] = []
      for await (const one of client.fineTuning.jobs.listEvents(job.id, { limit: 2 }))
        events.push(one.message)
      expect(events.length).to.be.above(3)
      const checkpoints: number[] = []
      for await (const one of client.fineTuning.jobs.checkpoints.list(job.id))
        checkpoints.push(one.step_number)
      expect(checkpoints).to.have.length(3)
      const refused = await client.fineTuning.jobs.cancel(job.id).catch((error: unknown) => error)
      expect((refused as { status: number }).status).to.equal(409)
    })

    it('fine-tunes at a provider without suffix and method', async () => {
      const client = new OpenAI({
        apiKey: adminKey,
        baseURL: `${gateway.url}/v1`,
        defaultHeaders: { 'x-gateway-virtual-key': 'up' },
      })
      const job = await client.fineTuning.jobs.create({ model: 'gpt-4.1-mini', training_file: 'file-theirs' })
      expect(job.id).to.match(/^ftjob-/)
      expect((await client.fineTuning.jobs.retrieve(job.id)).status).to.equal('running')
      expect((await client.fineTuning.jobs.cancel(job.id)).status).to.equal('cancelled')
    })
  })
})
