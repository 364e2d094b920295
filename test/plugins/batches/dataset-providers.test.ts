/**
 * Files, batches and fine-tuning jobs of providers with datasets: translated in both directions, in the vendors'
 * documented formats.
 */
import { deflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { ask, download, type Json, upload } from './fixtures.ts'
import { isOver, jsonl, parseLines } from './provider-gateway.ts'

const long = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value < 0 ? -2 * value - 1 : 2 * value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
const text = (value: string) => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)])
const float = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
const schema = {
  type: 'record',
  name: 'row',
  fields: [
    { name: 'text', type: 'string' },
    { name: 'custom_id', type: ['null', 'string'] },
    {
      name: 'embeddings',
      type: {
        type: 'record',
        name: 'vectors',
        fields: [{ name: 'float', type: { type: 'array', items: 'float' } }],
      },
    },
  ],
}

/** The vendor's stored form: an object container file. */
function avro(
  rows: readonly { text: string; custom_id: string; vector: number[] }[],
  codec: 'null' | 'deflate',
) {
  const sync = Buffer.alloc(16, 7)
  const records = rows.map(({ text: said, custom_id, vector }) =>
    Buffer.concat([text(said), long(1), text(custom_id), long(vector.length), ...vector.map(float), long(0)]),
  )
  const plain = Buffer.concat(records)
  const block = codec === 'deflate' ? deflateRawSync(plain) : plain
  return Buffer.concat([
    Buffer.from('Obj\u0001', 'latin1'),
    long(2),
    text('avro.schema'),
    text(JSON.stringify(schema)),
    text('avro.codec'),
    text(codec),
    long(0),
    sync,
    long(rows.length),
    long(block.length),
    block,
    sync,
  ])
}

const fileIn = (form: string) => form.slice(form.indexOf('\r\n\r\n') + 4, form.lastIndexOf('\r\n--'))

describe('embed jobs of Cohere', () => {
  let vendor: Upstream
  let gateway: TestGateway
  let job: Json = {}
  let codec: 'null' | 'deflate' = 'deflate'
  let sent: { query: URLSearchParams; lines: Json[] } = { query: new URLSearchParams(), lines: [] }
  const headers = { 'x-gateway-virtual-key': 'co' }
  const dataset = (id: string, extra: Json = {}) => ({
    id,
    name: 'mine',
    created_at: '2026-01-02T03:04:05Z',
    dataset_type: 'embed-input',
    validation_status: 'validated',
    dataset_parts: [{ id: 'p', name: 'p', size_bytes: 12, url: `${vendor.origin}/storage/${id}` }],
    ...extra,
  })
  before(async () => {
    vendor = await openUpstream((request, response) => {
      const url = new URL(request.path, 'http://x')
      const at = `${request.method} ${url.pathname}`
      if (at === 'POST /v1/datasets') {
        sent = { query: url.searchParams, lines: parseLines(fileIn(request.text)) }
        return sendJson(response, 200, { id: 'ds-in' })
      }
      if (at === 'GET /v1/datasets') return sendJson(response, 200, { datasets: [dataset('ds-in')] })
      if (at === 'GET /v1/datasets/ds-in') return sendJson(response, 200, { dataset: dataset('ds-in') })
      if (at === 'GET /v1/datasets/ds-bad')
        return sendJson(response, 200, {
          dataset: dataset('ds-bad', { validation_status: 'failed', validation_error: 'no text' }),
        })
      if (at === 'GET /v1/datasets/ds-out')
        return sendJson(response, 200, { dataset: dataset('ds-out', { dataset_type: 'embed-result' }) })
      if (at === 'DELETE /v1/datasets/ds-in') return sendJson(response, 200, {})
      if (at === 'POST /v1/embed-jobs') {
        job = {
          ...request.json,
          job_id: 'job-1',
          status: 'processing',
          created_at: '2026-01-02T03:04:05Z',
          input_dataset_id: request.json?.dataset_id,
        }
        return sendJson(response, 200, { job_id: 'job-1', meta: {} })
      }
      if (at === 'GET /v1/embed-jobs') return sendJson(response, 200, { embed_jobs: [job] })
      if (at === 'GET /v1/embed-jobs/job-1') return sendJson(response, 200, job)
      if (at === 'POST /v1/embed-jobs/job-1/cancel') {
        job = { ...job, status: 'cancelling' }
        return sendJson(response, 200, {})
      }
      if (at === 'GET /storage/ds-out') {
        const rows = sent.lines.map((line, index) => ({
          text: String(line.text),
          custom_id: String(line.custom_id),
          vector: [index, 0.5],
        }))
        expect(request.headers.authorization).to.equal(undefined)
        const bytes = avro(rows, codec)
        response.writeHead(206, { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` })
        return void response.end(bytes)
      }
      return sendJson(response, 404, { message: `nothing at ${at}` })
    })
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: { co: { provider: 'cohere', api_key: 'co-key', custom_host: `${vendor.origin}/v2` } },
    })
  })
  after(async () => {
    await gateway.stop()
    await vendor.close()
  })

  const line = (custom_id: string, input: unknown): Json => ({
    custom_id,
    method: 'POST',
    url: '/v1/embeddings',
    body: { model: 'embed-english-v3.0', input },
  })

  it('send the lines of a batch as texts with their ids', async () => {
    const content = jsonl([line('a', 'one'), { text: 'two', custom_id: 'b' }, line('c', ['three'])])
    const { status, body } = await upload(gateway, content, { headers })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body).to.deep.include({
      id: 'ds-in',
      object: 'file',
      bytes: Buffer.byteLength(content),
      filename: 'input.jsonl',
      purpose: 'batch',
      status: 'uploaded',
    })
    expect(sent.query.get('type')).to.equal('embed-input')
    expect(sent.query.get('optional_fields')).to.equal('custom_id')
    expect(sent.lines).to.deep.equal([
      { text: 'one', custom_id: 'a' },
      { text: 'two', custom_id: 'b' },
      { text: 'three', custom_id: 'c' },
    ])
  })

  it('show, list and delete datasets as files', async () => {
    const file = {
      id: 'ds-in',
      object: 'file',
      bytes: 12,
      created_at: 1767323045,
      filename: 'mine.jsonl',
      purpose: 'batch',
      status: 'processed',
      status_details: null,
    }
    const read = await ask(gateway, 'GET /v1/files/ds-in', { headers })
    expect(read.body).to.deep.equal(file)
    const listed = await ask(gateway, 'GET /v1/files', { headers })
    expect(listed.body).to.deep.equal({
      object: 'list',
      data: [file],
      has_more: false,
      first_id: 'ds-in',
      last_id: 'ds-in',
    })
    const gone = await ask(gateway, 'DELETE /v1/files/ds-in', { headers })
    expect(gone.body).to.deep.equal({ id: 'ds-in', object: 'file', deleted: true })
    expect((await ask(gateway, 'GET /v1/files/ds-none', { headers })).status).to.equal(404)
  })

  for (const each of ['null', 'deflate'] as const)
    it(`return embeddings as JSON lines (${each})`, async () => {
      codec = each
      sent.lines = [{ text: 'one', custom_id: 'a' }]
      const { status, text: content } = await download(gateway, '/v1/files/ds-out/content', headers)
      expect(status).to.equal(200)
      expect(parseLines(content)).to.deep.equal([
        { text: 'one', custom_id: 'a', embeddings: { float: [0, 0.5] } },
      ])
    })

  it('are created, shown and cancelled as a batch', async () => {
    const body = {
      input_file_id: 'ds-in',
      completion_window: '24h',
      endpoint: '/v1/embeddings',
      model: 'embed-english-v3.0',
      provider_options: { truncate: 'START' },
    }
    const made = await ask(gateway, 'POST /v1/batches', { headers, body })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body).to.deep.include({ id: 'job-1', status: 'in_progress', input_file_id: 'ds-in' })
    expect(job).to.deep.include({
      model: 'embed-english-v3.0',
      dataset_id: 'ds-in',
      input_type: 'search_document',
      truncate: 'START',
    })
    const cancelled = await ask(gateway, 'POST /v1/batches/job-1/cancel', { headers })
    expect(cancelled.body.status).to.equal('cancelling')
  })

  for (const [what, change, refusal] of [
    ['chat', { endpoint: '/v1/chat/completions' }, [400, 'unsupported_endpoint', '/endpoint']],
    ['no model', { model: undefined }, [400, 'invalid_body', '/model']],
    ['a dataset that is not valid', { input_file_id: 'ds-bad' }, [400, 'invalid_file', '/input_file_id']],
  ] as const)
    it(`refuse ${what}`, async () => {
      const body = {
        input_file_id: 'ds-in',
        completion_window: '24h',
        endpoint: '/v1/embeddings',
        model: 'embed-english-v3.0',
        ...change,
      }
      const reply = await ask(gateway, 'POST /v1/batches', { headers, body })
      expect([reply.status, reply.body.error?.code, reply.body.error?.param]).to.deep.equal(refusal)
    })

  it('run a file of the gateway and charge its usage, and refuse a line with two texts', async () => {
    const input = (await upload(gateway, jsonl([line('a', 'one'), line('b', 'two'), line('c', ['x', 'y'])])))
      .body.id
    const made = await ask(gateway, 'POST /v1/batches', {
      headers,
      body: {
        input_file_id: input,
        completion_window: '24h',
        endpoint: '/v1/embeddings',
        model: 'embed-english-v3.0',
      },
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    const read = async () => (await ask(gateway, `GET /v1/batches/${made.body.id}`)).body
    await until('the job is created', async () => isOver(await read()) || job.name === made.body.id)
    job = { ...job, status: 'complete', output_dataset_id: 'ds-out' }
    const done = await until('the batch is over', async () => {
      const batch = await read()
      return isOver(batch) ? batch : null
    })
    expect(done).to.deep.include({
      status: 'completed',
      request_counts: { total: 3, completed: 2, failed: 1 },
    })
    const output = await download(gateway, `/v1/batches/${made.body.id}/output`)
    const [first] = parseLines(output.text) as { custom_id: string; response: { body: { data: Json[] } } }[]
    expect(first?.custom_id).to.equal('a')
    expect(first?.response.body.data).to.deep.equal([{ object: 'embedding', index: 0, embedding: [0, 0.5] }])
  })
})

describe('datasets and fine-tuning jobs of Fireworks', () => {
  let vendor: Upstream
  let gateway: TestGateway
  let job: Json = {}
  let made: Json = {}
  let content = ''
  const headers = { 'x-gateway-virtual-key': 'fw' }
  const account = '/v1/accounts/acme'
  const stored = () => ({
    name: `accounts/acme/datasets/${made.datasetId}`,
    createTime: '2026-01-02T03:04:05Z',
    state: 'READY',
  })
  before(async () => {
    vendor = await openUpstream((request, response) => {
      const url = new URL(request.path, 'http://x')
      const at = `${request.method} ${url.pathname}`
      const one = `${account}/datasets/${made.datasetId}`
      if (at === `POST ${account}/datasets`) {
        expect(request.headers.authorization).to.equal('Bearer fw-key')
        made = request.json ?? {}
        return sendJson(response, 200, {})
      }
      if (at === `POST ${one}:upload`) {
        content = fileIn(request.text)
        return sendJson(response, 200, { id: made.datasetId, object: 'file', bytes: content.length })
      }
      if (at === `GET ${account}/datasets`)
        return sendJson(response, 200, { datasets: [stored()], nextPageToken: '' })
      if (at === `GET ${one}`) return sendJson(response, 200, stored())
      if (at === `GET ${one}:getDownloadEndpoint`)
        return sendJson(response, 200, { filenameToSignedUrls: { 'a.jsonl': `${vendor.origin}/storage/a` } })
      if (at === 'GET /storage/a') {
        expect(request.headers.authorization).to.equal(undefined)
        response.writeHead(200)
        return void response.end(content)
      }
      if (at === `DELETE ${one}`) return sendJson(response, 200, {})
      if (at === `POST ${account}/supervisedFineTuningJobs`) {
        job = {
          ...request.json,
          name: 'accounts/acme/supervisedFineTuningJobs/job1',
          state: 'JOB_STATE_RUNNING',
          createTime: '2026-01-02T03:04:05Z',
        }
        return sendJson(response, 200, job)
      }
      if (at === `GET ${account}/supervisedFineTuningJobs`)
        return sendJson(response, 200, { supervisedFineTuningJobs: [job] })
      if (at === `GET ${account}/supervisedFineTuningJobs/job1`) return sendJson(response, 200, job)
      if (at === `POST ${account}/supervisedFineTuningJobs/job1:cancel`) {
        job = { ...job, state: 'JOB_STATE_CANCELLED', completedTime: '2026-01-02T04:00:00Z' }
        return sendJson(response, 200, {})
      }
      return sendJson(response, 404, { error: { message: `nothing at ${at}` } })
    })
    const provider = 'fireworks-ai'
    const custom_host = `${vendor.origin}/v1`
    gateway = await startGateway({
      providers: {
        fw: { provider, api_key: 'fw-key', custom_host, configurations: { fireworks_account_id: 'acme' } },
        none: { provider, api_key: 'fw-key', custom_host },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await vendor.close()
  })

  it('store a file as a dataset, and return it', async () => {
    const lines = jsonl([{ messages: [{ role: 'user', content: 'a' }] }])
    const { status, body } = await upload(gateway, lines, { purpose: 'fine-tune', headers })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(made).to.deep.equal({ datasetId: body.id, dataset: { userUploaded: {} } })
    expect(content).to.equal(lines)
    expect(body).to.deep.include({ object: 'file', purpose: 'fine-tune', bytes: lines.length })
    const read = await ask(gateway, `GET /v1/files/${body.id}`, { headers })
    expect(read.body).to.deep.include({ id: body.id, status: 'processed', created_at: 1767323045 })
    const listed = await ask(gateway, 'GET /v1/files', { headers })
    expect(listed.body).to.deep.include({ first_id: body.id, last_id: body.id, has_more: false })
    const wrong = await ask(gateway, 'GET /v1/files?after=nope', { headers })
    expect([wrong.status, wrong.body.error?.code]).to.deep.equal([400, 'invalid_cursor'])
    expect((await download(gateway, `/v1/files/${body.id}/content`, headers)).text).to.equal(lines)
    const gone = await ask(gateway, `DELETE /v1/files/${body.id}`, { headers })
    expect(gone.body).to.deep.equal({ id: body.id, object: 'file', deleted: true })
  })

  it('require the account', async () => {
    const reply = await ask(gateway, 'GET /v1/files', { headers: { 'x-gateway-virtual-key': 'none' } })
    expect([reply.status, reply.body.error?.code]).to.deep.equal([400, 'no_provider'])
  })

  const asked = {
    model: 'llama-v3p1-8b-instruct',
    training_file: 'file-x',
    suffix: 'mine',
    method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2, batch_size: 'auto' } } },
  }

  it('are created, shown, listed and cancelled', async () => {
    const created = await ask(gateway, 'POST /v1/fine_tuning/jobs', { headers, body: asked })
    expect(created.status, JSON.stringify(created.body)).to.equal(200)
    expect(job).to.deep.include({
      dataset: 'accounts/acme/datasets/file-x',
      baseModel: 'accounts/fireworks/models/llama-v3p1-8b-instruct',
      outputModel: 'accounts/acme/models/mine',
      displayName: 'mine',
      epochs: 2,
    })
    expect(created.body).to.deep.include({
      id: 'job1',
      object: 'fine_tuning.job',
      status: 'running',
      model: 'llama-v3p1-8b-instruct',
      training_file: 'file-x',
      fine_tuned_model: null,
      hyperparameters: { n_epochs: 2, batch_size: 'auto', learning_rate_multiplier: 'auto' },
    })
    const listed = await ask(gateway, 'GET /v1/fine_tuning/jobs', { headers })
    expect(listed.body.data?.map(({ id }) => id)).to.deep.equal(['job1'])
    const cancelled = await ask(gateway, 'POST /v1/fine_tuning/jobs/job1/cancel', { headers })
    expect(cancelled.body).to.deep.include({ status: 'cancelled', finished_at: 1767326400 })
    job = { ...job, state: 'JOB_STATE_COMPLETED' }
    const done = await ask(gateway, 'GET /v1/fine_tuning/jobs/job1', { headers })
    expect(done.body).to.deep.include({ status: 'succeeded', fine_tuned_model: 'accounts/acme/models/mine' })
    const events = await ask(gateway, 'GET /v1/fine_tuning/jobs/job1/events', { headers })
    expect([events.status, events.body.error?.code]).to.deep.equal([400, 'unsupported_endpoint'])
  })

  for (const [what, method, param] of [
    ['another method', { type: 'dpo', dpo: {} }, '/method/type'],
    [
      'a multiple of the learning rate',
      { type: 'supervised', supervised: { hyperparameters: { learning_rate_multiplier: 2 } } },
      '/method/supervised/hyperparameters/learning_rate_multiplier',
    ],
  ] as const)
    it(`refuse ${what}`, async () => {
      const reply = await ask(gateway, 'POST /v1/fine_tuning/jobs', {
        headers,
        body: { ...asked, method },
      })
      expect([reply.status, reply.body.error?.code, reply.body.error?.param]).to.deep.equal([
        400,
        'invalid_body',
        param,
      ])
    })
})
