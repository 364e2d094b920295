/** Fine-tuning jobs: forwarded to providers, and run by the embedded provider with files of the gateway. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { ask, type Json, type Reply, upload } from './fixtures.ts'

const root = '/v1/fine_tuning/jobs'
const echo = { 'x-gateway-provider': 'echo' }
const good = '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[]}\n\n'
const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } }

describe('fine-tuning jobs', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let file = ''
  before(async () => {
    upstream = await openUpstream((request, response) => {
      if (request.path.endsWith('/missing'))
        sendJson(response, 404, { error: { message: 'no', code: 'gone' } })
      else sendJson(response, 200, { id: 'ftjob-theirs', object: 'fine_tuning.job' })
    })
    gateway = await startGateway()
    file = String((await upload(gateway, good, { purpose: 'fine-tune' })).body.id)
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const body = (extra: Json = {}): Json => ({
    model: 'm',
    training_file: file,
    suffix: 's',
    method,
    ...extra,
  })
  const create = (extra: Json = {}, headers: Record<string, string> = echo): Promise<Reply> =>
    ask(gateway, `POST ${root}`, { headers, body: body(extra) })
  const ended = (id: unknown) =>
    until('the end of the job', async () => {
      const { body: job } = await ask(gateway, `GET ${root}/${String(id)}`)
      return ['succeeded', 'failed', 'cancelled'].includes(String(job.status)) ? job : null
    })

  it('succeed in about a second, with events and three checkpoints', async () => {
    const { status, body: job } = await create({ integrations: [{ type: 'wandb' }] })
    expect(status).to.equal(200)
    expect(job.id).to.match(/^gwftjob-[0-9a-f]{32}$/)
    expect(job).to.include({
      object: 'fine_tuning.job',
      status: 'validating_files',
      model: 'm',
      training_file: file,
      validation_file: null,
      fine_tuned_model: null,
      finished_at: null,
      trained_tokens: null,
      error: null,
    })
    expect(job.seed).to.be.within(0, 2 ** 31 - 1)
    expect(job.hyperparameters).to.deep.equal({
      n_epochs: 3,
      batch_size: 'auto',
      learning_rate_multiplier: 'auto',
    })
    const seen = new Set<unknown>()
    const done = await until('its success', async () => {
      const read = await ask(gateway, `GET ${root}/${String(job.id)}`)
      seen.add(read.body.status)
      if (read.body.status === 'running') expect(read.body.estimated_finish).to.be.a('number')
      return read.body.status === 'succeeded' ? read.body : null
    })
    expect([...seen]).to.include.members(['queued', 'running', 'succeeded'])
    expect(done.fine_tuned_model).to.match(/^ft:m:gateway:s:/)
    expect(done.finished_at).to.be.a('number')
    expect(done.trained_tokens).to.be.above(0)
    expect(done.estimated_finish).to.equal(null)

    const events = await ask(gateway, `GET ${root}/${String(job.id)}/events`)
    expect(events.body).to.include({ object: 'list', has_more: false })
    expect(events.body.data?.[0]).to.include({
      object: 'fine_tuning.job.event',
      level: 'info',
      message: 'The job has successfully completed',
    })
    const checkpoints = await ask(gateway, `GET ${root}/${String(job.id)}/checkpoints`)
    expect(checkpoints.body.data).to.have.lengthOf(3)
    expect(checkpoints.body.data?.[0]).to.include({
      object: 'fine_tuning.job.checkpoint',
      fine_tuning_job_id: job.id,
      step_number: 30,
    })
    expect(checkpoints.body.data?.[0]?.metrics).to.have.all.keys(
      'step',
      'train_loss',
      'train_mean_token_accuracy',
      'valid_loss',
      'valid_mean_token_accuracy',
      'full_valid_loss',
      'full_valid_mean_token_accuracy',
    )
    const first = await ask(gateway, `GET ${root}/${String(job.id)}/checkpoints?limit=1`)
    expect(first.body.has_more).to.equal(true)
    const rest = await ask(
      gateway,
      `GET ${root}/${String(job.id)}/checkpoints?after=${String(first.body.last_id)}`,
    )
    expect(rest.body.data).to.have.lengthOf(2)
    const wrong = await ask(gateway, `GET ${root}/${String(job.id)}/events?after=nothing`)
    expect(wrong.body.error).to.include({ code: 'invalid_cursor', param: 'query/after' })
    expect((await ask(gateway, `POST ${root}/${String(job.id)}/cancel`)).status).to.equal(409)
  })

  const failing: [name: string, text: string, purpose: string][] = [
    ['a file that is not JSONL', 'hello\n', 'fine-tune'],
    ['a file without examples', '\n', 'fine-tune'],
    ['a file of another purpose', good, 'assistants'],
  ]
  for (const [name, text, purpose] of failing) {
    it(`fail for ${name}`, async () => {
      const id = String((await upload(gateway, text, { purpose })).body.id)
      const { body: job } = await create({ training_file: id })
      expect(job.status).to.equal('validating_files')
      const done = await ended(job.id)
      expect(done.status).to.equal('failed')
      expect(done.error).to.include({ code: 'invalid_training_file', param: 'training_file' })
      expect(done.fine_tuned_model).to.equal(null)
    })
  }

  it('can be cancelled', async () => {
    const { body: job } = await create()
    const { status, body: cancelled } = await ask(gateway, `POST ${root}/${String(job.id)}/cancel`)
    expect(status).to.equal(200)
    expect(cancelled.status).to.equal('cancelled')
    expect(cancelled.finished_at).to.be.a('number')
    expect((await ask(gateway, `POST ${root}/${String(job.id)}/cancel`)).status).to.equal(409)
  })

  it('are listed newest first', async () => {
    const { body: job } = await create()
    const { body: list } = await ask(gateway, `GET ${root}?limit=1`)
    expect(list).to.include({ object: 'list', has_more: true, first_id: job.id, last_id: job.id })
    const next = await ask(gateway, `GET ${root}?after=${String(job.id)}`)
    expect(next.body.data?.map(({ id }) => id)).to.not.include(job.id)
  })

  const refused: [extra: Json, code: string, param: string][] = [
    [{ model: undefined }, 'invalid_body', '/model'],
    [{ training_file: undefined }, 'invalid_body', '/training_file'],
    [{ suffix: undefined }, 'invalid_body', '/suffix'],
    [{ method: undefined }, 'invalid_body', '/method'],
    [{ suffix: 'x'.repeat(65) }, 'invalid_body', '/suffix'],
    [{ method: { type: 'other' } }, 'invalid_body', '/method/type'],
    [
      { method: { type: 'dpo', dpo: { hyperparameters: { n_epochs: 'many' } } } },
      'invalid_body',
      '/method/dpo/hyperparameters/n_epochs',
    ],
    [{ integrations: [{}, {}, {}, {}, {}, {}] }, 'invalid_body', '/integrations'],
    [{ training_file: 'gwfile-0' }, 'not_found', '/training_file'],
  ]
  for (const [extra, code, param] of refused) {
    it(`are refused: ${JSON.stringify(extra).slice(0, 80)}`, async () => {
      const { status, body: answer } = await create(extra)
      expect(status).to.equal(code === 'not_found' ? 404 : 400)
      expect(answer.error).to.include({ code, param })
    })
  }

  it('require a target', async () => {
    const { status, body: answer } = await create({}, {})
    expect(status).to.equal(400)
    expect(answer.error).to.include({ code: 'no_provider', param: 'header/x-gateway-virtual-key' })
  })

  it('with a file of the gateway are refused for a provider without fine-tuning', async () => {
    const { status, body: answer } = await create(
      {},
      configHeader({ ...target(upstream.url), provider: 'groq' }),
    )
    expect([status, answer.error?.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })

  it('of a provider are forwarded, with defaults for members that it leaves out', async () => {
    const headers = configHeader(target(upstream.url))
    const calls: [method: string, path: string, sent: Json | undefined, at: string][] = [
      ['POST', '', { model: 'm', training_file: 'file-theirs', colour: 'red' }, ''],
      ['GET', '?limit=2&after=x', undefined, '?after=x&limit=2'],
      ['GET', '/ftjob-1', undefined, '/ftjob-1'],
      ['POST', '/ftjob-1/cancel', undefined, '/ftjob-1/cancel'],
      ['GET', '/ftjob-1/events', undefined, '/ftjob-1/events'],
      ['GET', '/ftjob-1/checkpoints?limit=1', undefined, '/ftjob-1/checkpoints?limit=1'],
    ]
    for (const [verb, path, sent, at] of calls) {
      const { status, body: answer } = await ask(gateway, `${verb} ${root}${path}`, {
        headers,
        ...(sent === undefined ? {} : { body: sent }),
      })
      expect([status, answer.id], path).to.deep.equal([200, 'ftjob-theirs'])
      const seen = upstream.seen.at(-1)
      expect([seen?.method, seen?.path]).to.deep.equal([verb, root + at])
      if (sent !== undefined) expect(seen?.json).to.deep.equal(sent)
    }
    const missing = await ask(gateway, `GET ${root}/missing`, { headers })
    expect([missing.status, missing.body.error?.code]).to.deep.equal([404, 'gone'])
  })

  it('are not found by other workspaces', async () => {
    const { status, body: answer } = await ask(gateway, `GET ${root}/gwftjob-${'0'.repeat(32)}`)
    expect([status, answer.error?.code]).to.deep.equal([404, 'not_found'])
  })
})
