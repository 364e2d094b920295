/** Fine-tuning jobs on files of the gateway at a provider: uploaded, created once, polled, with the gateway's ids. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { type FakeProvider, openFakeProvider } from './fake-provider.ts'
import { ask, type Json, upload } from './fixtures.ts'

const root = '/v1/fine_tuning/jobs'
const headers = { 'x-gateway-virtual-key': 'up' }
const good = '{"messages":[{"role":"user","content":"a"}]}\n'

describe('fine-tuning jobs at a provider', () => {
  let gateway: TestGateway
  let provider: FakeProvider
  before(async () => {
    provider = await openFakeProvider()
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: {
        up: { provider: 'openai', api_key: 'sk-test', custom_host: provider.url },
        groq: { provider: 'groq', api_key: 'gsk', custom_host: provider.url },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await provider.close()
  })
  afterEach(() => provider.jobs.clear())

  const file = async (content = good, purpose = 'fine-tune') =>
    String((await upload(gateway, content, { purpose, name: 'train.jsonl' })).body.id)
  const create = async (training: string, extra: Json = {}) =>
    ask(gateway, `POST ${root}`, {
      headers,
      body: {
        model: 'gpt-4.1-mini',
        training_file: training,
        suffix: 'mine',
        method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } },
        ...extra,
      },
    })
  const read = async (id: unknown) => (await ask(gateway, `GET ${root}/${id}`)).body
  const untilStatus = (id: unknown, status: string) =>
    until(`the job is ${status}`, async () => {
      const job = await read(id)
      return job.status === status ? job : null
    })

  it('upload their files, are created once, and are shown with ids of the gateway', async () => {
    const [training, validation] = [await file(), await file()]
    const { status, body } = await create(training, { validation_file: validation, seed: 7 })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.id).to.match(/^gwftjob-/)
    expect(body).to.include({ status: 'validating_files', training_file: training, fine_tuned_model: null })
    await untilStatus(body.id, 'running')
    expect(provider.jobs.size).to.equal(1)
    const [theirs] = [...provider.jobs.values()]
    expect(theirs).to.deep.include({ model: 'gpt-4.1-mini', suffix: 'mine', seed: 7 })
    const sent = provider.files.get(String(theirs?.training_file))
    expect([sent?.bytes.toString(), sent?.purpose]).to.deep.equal([good, 'fine-tune'])
    expect(theirs?.validation_file).to.match(/^file-/)
    Object.assign(theirs ?? {}, {
      status: 'succeeded',
      fine_tuned_model: 'ft:theirs',
      finished_at: 9,
      trained_tokens: 5,
    })
    const done = await untilStatus(body.id, 'succeeded')
    expect(done).to.include({
      id: body.id,
      training_file: training,
      validation_file: validation,
      fine_tuned_model: 'ft:theirs',
      trained_tokens: 5,
    })
    const events = await ask(gateway, `GET ${root}/${body.id}/events?limit=1`)
    expect(events.body).to.deep.include({ object: 'list', has_more: true })
    const checkpoints = await ask(gateway, `GET ${root}/${body.id}/checkpoints`)
    expect((checkpoints.body.data as Json[])[0]).to.include({ fine_tuning_job_id: body.id, step_number: 10 })
    const listed = await ask(gateway, `GET ${root}`)
    expect((listed.body.data as Json[]).map(({ id }) => id)).to.include(body.id)
    const late = await ask(gateway, `POST ${root}/${body.id}/cancel`)
    expect([late.status, late.body.error?.code]).to.deep.equal([409, 'conflict'])
  })

  it('are found when the answer to their creation was lost', async () => {
    provider.nextCreate = 'answer lost'
    const { body } = await create(await file())
    await untilStatus(body.id, 'running')
    expect(provider.jobs.size).to.equal(1)
  })

  it('are cancelled at the provider', async () => {
    const { body } = await create(await file())
    await untilStatus(body.id, 'running')
    const cancelled = await ask(gateway, `POST ${root}/${body.id}/cancel`)
    expect(cancelled.status).to.equal(200)
    await untilStatus(body.id, 'cancelled')
    expect([...provider.jobs.values()][0]?.status).to.equal('cancelled')
  })

  it('fail for files with another purpose or invalid JSON lines, and nothing is uploaded', async () => {
    const before = provider.files.size
    for (const training of [await file(good, 'assistants'), await file('no json')]) {
      const { body } = await create(training)
      expect(body.status).to.equal('validating_files')
      const job = await untilStatus(body.id, 'failed')
      expect((job.error as Json).code).to.equal('invalid_training_file')
    }
    expect(provider.files.size).to.equal(before)
  })

  it('report why the provider refused them', async () => {
    const { body } = await create(await file(), { model: 'refused' })
    const job = await untilStatus(body.id, 'failed')
    expect(job.error).to.deep.include({ code: 'model_not_found' })
  })

  it('are refused by a provider without fine-tuning', async () => {
    const reply = await ask(gateway, `POST ${root}`, {
      headers: { 'x-gateway-virtual-key': 'groq' },
      body: { model: 'm', training_file: await file(), suffix: 's', method: { type: 'supervised' } },
    })
    expect([reply.status, reply.body.error?.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })
})
