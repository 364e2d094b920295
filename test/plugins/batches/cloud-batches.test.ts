/** Files, batches and fine-tuning jobs of clouds: translated in both directions, in the vendors' documented formats. */
import { expect } from 'chai'
import { serviceAccount } from '../../providers/fixtures/service-account.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import type { Upstream } from '../../support/upstream.ts'
import { openControl, openGcs, openS3, type PlayedGcs, type PlayedS3 } from './cloud-scene.ts'
import { ask, download, formOf, type Json, upload } from './fixtures.ts'
import { chatLine, isOver, jsonl, parseLines } from './provider-gateway.ts'

type Line = Json & { custom_id: string; response: { status_code: number; body: Json } }

const big = Buffer.alloc(20_000_000, 'x')

async function batchUntil(gateway: TestGateway, id: unknown, holds: (batch: Json) => boolean): Promise<Json> {
  return until('the batch is as expected', async () => {
    const { body } = await ask(gateway, `GET /v1/batches/${id}?include_provider_details=true`)
    return holds(body) ? body : null
  })
}

/** The same for every cloud: `id` is the percent-encoded URI. */
function describeFiles(
  scene: () => { gateway: TestGateway; headers: Record<string, string>; scheme: string; bucket: string },
): void {
  for (const [what, content] of [
    ['a text', Buffer.from('{"a":1}\n')],
    ['several parts', big],
    ['nothing', Buffer.alloc(0)],
  ] as const)
    it(`stores ${what} in the bucket of the credential, and returns it`, async () => {
      const { gateway, headers, scheme, bucket } = scene()
      const made = await upload(gateway, content, { name: 'in put.jsonl', headers })
      expect(made.status, JSON.stringify(made.body)).to.equal(200)
      const uri = decodeURIComponent(String(made.body.id))
      expect(uri).to.match(new RegExp(`^${scheme}://${bucket}/file-[^/]+/in_put\\.jsonl$`))
      expect(made.body).to.deep.include({
        object: 'file',
        bytes: content.length,
        purpose: 'batch',
        filename: 'in put.jsonl',
      })
      // The id as clients write it, and encoded once more.
      for (const id of [String(made.body.id), encodeURIComponent(String(made.body.id))]) {
        const read = await ask(gateway, `GET /v1/files/${id}`, { headers })
        expect(read.status, JSON.stringify(read.body)).to.equal(200)
        expect(read.body).to.deep.include({
          id: made.body.id,
          bytes: content.length,
          filename: 'in put.jsonl',
        })
      }
      const { status, text } = await download(gateway, `/v1/files/${made.body.id}/content`, headers)
      expect(status).to.equal(200)
      expect(text.length).to.equal(content.length)
      const gone = await ask(gateway, `DELETE /v1/files/${made.body.id}`, { headers })
      expect(gone.body).to.deep.equal({ id: made.body.id, object: 'file', deleted: true })
      expect((await ask(gateway, `GET /v1/files/${made.body.id}`, { headers })).status).to.equal(404)
    })

  it('reads bucket and key from provider_options, and refuses ids that are not object URLs', async () => {
    const { gateway, headers, scheme } = scene()
    const fields = { provider_options: JSON.stringify({ bucket: 'other', key: 'a/b c.jsonl' }) }
    const made = await ask(gateway, 'POST /v1/files', { headers, body: formOf('x', { fields }) })
    expect(made.body.id, JSON.stringify(made.body)).to.equal(
      encodeURIComponent(`${scheme}://other/a/b c.jsonl`),
    )
    const half = { provider_options: JSON.stringify({ bucket: 'other', key: 'a\ud800' }) }
    const odd = await ask(gateway, 'POST /v1/files', { headers, body: formOf('x', { fields: half }) })
    expect([odd.status, odd.body.error?.param]).to.deep.equal([400, '/provider_options/key'])
    const wrong = await ask(gateway, 'GET /v1/files/file-123', { headers })
    expect([wrong.status, wrong.body.error?.code]).to.deep.equal([404, 'not_found'])
  })
}

describe('batches of Bedrock', () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:model-invocation-job/abc123'
  const ftArn = 'arn:aws:bedrock:us-east-1:123456789012:model-customization-job/amazon.nova/xyz'
  let s3: PlayedS3
  let control: Upstream
  let gateway: TestGateway
  let job: Json = {}
  const headers = { 'x-gateway-virtual-key': 'aws' }
  before(async () => {
    s3 = await openS3(['files', 'other'])
    control = await openControl(({ method, json }, path) => {
      const at = decodeURIComponent(path)
      if (at === '/model-invocation-job' && method === 'POST') {
        job = { ...json, jobArn: arn, status: 'Submitted', submitTime: '2026-01-02T03:04:05Z' }
        return { jobArn: arn }
      }
      if (at === `/model-invocation-job/${arn}`) return job
      if (at === `/model-invocation-job/${arn}/stop`) {
        job = { ...job, status: 'Stopping' }
        return {}
      }
      if (at === '/model-invocation-jobs')
        return { invocationJobSummaries: job.jobArn === undefined ? [] : [job] }
      if (at === '/model-customization-jobs' && method === 'POST') {
        job = {
          ...json,
          jobArn: ftArn,
          status: 'InProgress',
          creationTime: '2026-01-02T03:04:05Z',
          baseModelArn: 'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova',
        }
        return { jobArn: ftArn }
      }
      if (at === '/model-customization-jobs') return { modelCustomizationJobSummaries: [job] }
      if (at === `/model-customization-jobs/${ftArn}`) return job
      if (at === `/model-customization-jobs/${ftArn}/stop`) {
        job = { ...job, status: 'Stopped', endTime: '2026-01-02T04:00:00Z' }
        return {}
      }
      return {
        status: 404,
        body: { message: `nothing at ${method} ${at}`, __type: 'ResourceNotFoundException' },
      }
    })
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: {
        aws: {
          provider: 'bedrock',
          custom_host: control.origin,
          configurations: {
            aws_auth_type: 'accessKey',
            aws_region: 'us-east-1',
            aws_access_key_id: 'S3RVER',
            aws_secret_access_key: 'S3RVER',
            aws_s3_bucket: 'files',
            storage_host: s3.url,
          },
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await control.close()
    await s3.close()
  })
  beforeEach(() => {
    job = {}
  })

  describe('files', () => describeFiles(() => ({ gateway, headers, scheme: 's3', bucket: 'files' })))

  it('are model invocation jobs with Converse lines, whose results become files of the gateway', async () => {
    const lines = [chatLine('a one', 'hi'), chatLine('b', 'ho')].map((line) => ({
      ...line,
      body: { ...(line.body as Json), model: 'amazon.nova-lite-v1:0' },
    }))
    const input = (await upload(gateway, jsonl(lines))).body.id
    const { status, body } = await ask(gateway, 'POST /v1/batches', {
      headers,
      body: {
        input_file_id: input,
        completion_window: '24h',
        endpoint: '/v1/chat/completions',
        provider_options: { role_arn: 'arn:aws:iam::123456789012:role/batch', output_uri: 's3://other/out/' },
      },
    })
    expect(status, JSON.stringify(body)).to.equal(200)
    await batchUntil(
      gateway,
      body.id,
      (batch) => isOver(batch) || (batch.provider_details as Json).batch_id != null,
    )
    expect(job).to.deep.include({
      modelId: 'amazon.nova-lite-v1:0',
      roleArn: 'arn:aws:iam::123456789012:role/batch',
      modelInvocationType: 'Converse',
      clientRequestToken: body.id,
      outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://other/out/' } },
    })
    const { s3InputDataConfig } = job.inputDataConfig as {
      s3InputDataConfig: { s3Uri: string; s3InputFormat: string }
    }
    expect(s3InputDataConfig.s3InputFormat).to.equal('JSONL')
    const uri = s3InputDataConfig.s3Uri
    const sent = parseLines(
      (await download(gateway, `/v1/files/${encodeURIComponent(uri)}/content`, headers)).text,
    )
    expect(sent.map(({ recordId }) => recordId)).to.deep.equal(['L0000000001', 'L0000000002'])
    expect((sent[0] as { modelInput: Json }).modelInput.messages).to.deep.equal([
      { role: 'user', content: [{ text: 'hi' }] },
    ])
    const results = [
      { recordId: 'L0000000002', modelInput: {}, error: { errorCode: 400, errorMessage: 'bad request' } },
      {
        recordId: 'L0000000001',
        modelInput: {},
        modelOutput: {
          output: { message: { role: 'assistant', content: [{ text: 'hello' }] } },
          stopReason: 'end_turn',
          usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
          metrics: { latencyMs: 1 },
        },
      },
    ]
    const key = `out/abc123/${uri.split('/').at(-1)}.out`
    const fields = { provider_options: JSON.stringify({ bucket: 'other', key }) }
    const put = await ask(gateway, 'POST /v1/files', { headers, body: formOf(jsonl(results), { fields }) })
    expect(put.status).to.equal(200)
    job = { ...job, status: 'Completed', endTime: '2026-01-02T05:00:00Z' }
    const batch = await batchUntil(gateway, body.id, isOver)
    expect(batch).to.deep.include({
      status: 'completed',
      request_counts: { total: 2, completed: 1, failed: 1 },
    })
    expect((batch.usage as Json).total_tokens).to.equal(10)
    const output = parseLines((await download(gateway, `/v1/batches/${body.id}/output`)).text)
    expect(output.map(({ custom_id }) => custom_id)).to.deep.equal(['a one', 'b'])
    const [good, bad] = output as [Line, Line]
    const { choices } = good.response.body as { choices: { message: Json }[] }
    expect(choices[0]?.message.content).to.equal('hello')
    expect(bad.response.status_code).to.equal(400)
  })

  it('report missing options and unsupported endpoints', async () => {
    const input = (await upload(gateway, jsonl([chatLine('a')]))).body.id
    const create = async (rest: Json) => {
      const body = {
        input_file_id: input,
        completion_window: '24h',
        endpoint: '/v1/chat/completions',
        ...rest,
      }
      const reply = await ask(gateway, 'POST /v1/batches', { headers, body })
      return [reply.status, reply.body.error?.code, reply.body.error?.param]
    }
    expect(await create({})).to.deep.equal([400, 'invalid_body', '/provider_options/role_arn'])
    expect(await create({ provider_options: { role_arn: 'r' } })).to.deep.equal([
      400,
      'invalid_body',
      '/provider_options/output_uri',
    ])
    const options = { provider_options: { role_arn: 'r', output_uri: 's3://o/p' } }
    expect(await create({ ...options, endpoint: '/v1/embeddings' })).to.deep.equal([
      400,
      'unsupported_endpoint',
      null,
    ])
  })

  it('are forwarded for files in the cloud, with the states of the contract', async () => {
    const body = {
      input_file_id: encodeURIComponent('s3://files/in.jsonl'),
      completion_window: '24h',
      endpoint: '/v1/chat/completions',
      model: 'amazon.nova-lite-v1:0',
      provider_options: {
        role_arn: 'r',
        output_uri: 's3://other/out',
        job_name: 'mine',
        modelInvocationType: 'Converse',
      },
    }
    const made = await ask(gateway, 'POST /v1/batches', { headers, body })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body).to.deep.include({
      id: encodeURIComponent(arn),
      object: 'batch',
      status: 'validating',
      input_file_id: body.input_file_id,
      output_file_id: null,
      created_at: Date.parse('2026-01-02T03:04:05Z') / 1000,
    })
    expect(job).to.deep.include({ jobName: 'mine', modelInvocationType: 'Converse' })
    const states = {
      Submitted: 'validating',
      Validating: 'validating',
      Scheduled: 'validating',
      InProgress: 'in_progress',
      Completed: 'completed',
      PartiallyCompleted: 'completed',
      Failed: 'failed',
      Stopping: 'cancelling',
      Stopped: 'cancelled',
      Expired: 'expired',
    }
    for (const [theirs, ours] of Object.entries(states)) {
      job = { ...job, status: theirs }
      const read = await ask(gateway, `GET /v1/batches/${made.body.id}`, { headers })
      expect([theirs, read.body.status]).to.deep.equal([theirs, ours])
    }
    job = { ...job, status: 'InProgress' }
    const listed = await ask(gateway, 'GET /v1/batches?limit=5', { headers })
    expect((listed.body.data as Json[]).map(({ id }) => id)).to.deep.equal([made.body.id])
    const cancelled = await ask(gateway, `POST /v1/batches/${made.body.id}/cancel`, { headers })
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelling'])
  })

  it('work together with fine-tuning jobs', async () => {
    const body = {
      model: 'amazon.nova',
      training_file: encodeURIComponent('s3://files/train.jsonl'),
      suffix: 'mine',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2, batch_size: 'auto' } } },
    }
    const missing = await ask(gateway, 'POST /v1/fine_tuning/jobs', { headers, body })
    expect([missing.status, missing.body.error?.param]).to.deep.equal([400, '/provider_options/role_arn'])
    const provider_options = { role_arn: 'r', output_uri: 's3://other/models' }
    const made = await ask(gateway, 'POST /v1/fine_tuning/jobs', {
      headers,
      body: { ...body, provider_options },
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body).to.deep.include({
      object: 'fine_tuning.job',
      status: 'running',
      model: 'amazon.nova',
      training_file: body.training_file,
      fine_tuned_model: null,
      hyperparameters: { n_epochs: 2, batch_size: 'auto', learning_rate_multiplier: 'auto' },
    })
    expect(job).to.deep.include({
      customModelName: 'mine',
      hyperParameters: { epochCount: '2' },
      roleArn: 'r',
    })
    const read = await ask(gateway, `GET /v1/fine_tuning/jobs/${made.body.id}`, { headers })
    expect(read.body.id).to.equal(made.body.id)
    const listed = await ask(gateway, 'GET /v1/fine_tuning/jobs', { headers })
    expect((listed.body.data as Json[]).length).to.equal(1)
    const cancelled = await ask(gateway, `POST /v1/fine_tuning/jobs/${made.body.id}/cancel`, { headers })
    expect(cancelled.body.status).to.equal('cancelled')
  })
})

describe('batches of Vertex AI', () => {
  const root = '/v1/projects/p1/locations/us-central1'
  let gcs: PlayedGcs
  let control: Upstream
  let gateway: TestGateway
  let job: Json = {}
  const headers = { 'x-gateway-virtual-key': 'google' }
  before(async () => {
    gcs = await openGcs()
    control = await openControl(({ method, json }, path) => {
      if (path === '/token') return { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' }
      const jobs = `${root}/batchPredictionJobs`
      if (path === jobs && method === 'POST') {
        job = {
          ...json,
          name: `${jobs.slice(4)}/77`,
          state: 'JOB_STATE_PENDING',
          createTime: '2026-01-02T03:04:05Z',
        }
        return job
      }
      if (path === jobs) return { batchPredictionJobs: job.name === undefined ? [] : [job] }
      if (path === `${jobs}/77`) return job
      if (path === `${jobs}/77:cancel`) {
        job = { ...job, state: 'JOB_STATE_CANCELLING' }
        return {}
      }
      const tuning = `${root}/tuningJobs`
      if (path === tuning && method === 'POST') {
        job = {
          ...json,
          name: `${tuning.slice(4)}/88`,
          state: 'JOB_STATE_RUNNING',
          createTime: '2026-01-02T03:04:05Z',
        }
        return job
      }
      if (path === tuning) return { tuningJobs: [job] }
      if (path === `${tuning}/88`) return job
      if (path === `${tuning}/88:cancel`) {
        job = { ...job, state: 'JOB_STATE_CANCELLED' }
        return {}
      }
      return {
        status: 404,
        body: { error: { code: 404, message: `nothing at ${method} ${path}`, status: 'NOT_FOUND' } },
      }
    })
    gateway = await startGateway({
      batches: { poll_ms: 1000 },
      providers: {
        google: {
          provider: 'vertex-ai',
          custom_host: control.url,
          cloudC_project_id: 'p1',
          cloudC_region: 'us-central1',
          configurations: {
            vertex_auth_type: 'serviceAccount',
            vertex_service_account_json: serviceAccount({ token_uri: `${control.origin}/token` }),
            vertex_project_id: 'p1',
            vertex_region: 'us-central1',
            vertex_storage_bucket: 'files',
            storage_host: gcs.origin,
          },
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await control.close()
    await gcs.close()
  })
  beforeEach(() => {
    job = {}
  })

  describe('files', () => describeFiles(() => ({ gateway, headers, scheme: 'gs', bucket: 'files' })))

  for (const [title, model, answer, text] of [
    [
      'Google',
      'gemini-2.5-flash',
      {
        candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
      },
      'hello',
    ],
    [
      'Anthropic',
      'claude-sonnet-4-5',
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'bonjour' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 7, output_tokens: 3 },
      },
      'bonjour',
    ],
  ] as const)
    it(`are prediction jobs with lines for a model by ${title}`, async () => {
      const lines = ['a one', 'b'].map((id) => ({
        ...chatLine(id),
        body: { ...(chatLine(id).body as Json), model },
      }))
      const input = (await upload(gateway, jsonl(lines))).body.id
      const { status, body } = await ask(gateway, 'POST /v1/batches', {
        headers,
        body: {
          input_file_id: input,
          completion_window: '24h',
          endpoint: '/v1/chat/completions',
          provider_options: { output_uri: 'gs://files/out' },
        },
      })
      expect(status, JSON.stringify(body)).to.equal(200)
      await batchUntil(
        gateway,
        body.id,
        (batch) => isOver(batch) || (batch.provider_details as Json).batch_id != null,
      )
      expect(job.model).to.equal(`publishers/${title.toLowerCase()}/models/${model}`)
      expect(job.labels).to.deep.equal({ gateway_batch_id: body.id })
      const { gcsSource } = job.inputConfig as { gcsSource: { uris: string[] } }
      const wire = gcs.objects.get(String(gcsSource.uris[0]).replace('gs://', ''))
      const sent = parseLines(wire?.bytes.toString('utf8') ?? '')
      expect(sent).to.have.length(2)
      // Google's models return the request, the others the id.
      const results = sent
        .reverse()
        .map((line, at) => ({
          ...line,
          status: at === 0 ? 'Bad Request: no' : '',
          response: at === 0 ? {} : answer,
        }))
        .map(({ custom_id: id, ...line }: Json) => (title === 'Google' ? line : { custom_id: id, ...line }))
      gcs.objects.set('files/out/p/predictions.jsonl', {
        bytes: Buffer.from(jsonl(results)),
        metadata: {},
        contentType: 'application/jsonl',
      })
      job = {
        ...job,
        state: 'JOB_STATE_SUCCEEDED',
        endTime: '2026-01-02T05:00:00Z',
        outputInfo: { gcsOutputDirectory: 'gs://files/out/p' },
        completionStats: { successfulCount: '1', failedCount: '1' },
      }
      const batch = await batchUntil(gateway, body.id, isOver)
      expect(batch).to.deep.include({
        status: 'completed',
        request_counts: { total: 2, completed: 1, failed: 1 },
      })
      const output = parseLines((await download(gateway, `/v1/batches/${body.id}/output`)).text)
      const [good, bad] = output as [Line, Line]
      expect([good.custom_id, bad.custom_id, bad.response.status_code]).to.deep.equal(['a one', 'b', 500])
      const { choices } = good.response.body as { choices: { message: Json }[] }
      expect(choices[0]?.message.content).to.equal(text)
      expect((batch.usage as Json).total_tokens).to.equal(10)
    })

  it('are forwarded for files in the cloud, with the states of the contract', async () => {
    const body = {
      input_file_id: 'any',
      completion_window: '24h',
      endpoint: '/v1/chat/completions',
      model: 'gemini-2.5-flash',
      provider_options: { gcs_uri: 'gs://files/in.jsonl' },
    }
    const missing = await ask(gateway, 'POST /v1/batches', { headers, body })
    expect([missing.status, missing.body.error?.param]).to.deep.equal([400, '/provider_options/output_uri'])
    body.provider_options = {
      gcs_uri: 'gs://files/in.jsonl',
      output_uri: 'gs://files/o',
    } as typeof body.provider_options
    const made = await ask(gateway, 'POST /v1/batches', { headers, body })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body).to.deep.include({
      id: '77',
      status: 'validating',
      input_file_id: encodeURIComponent('gs://files/in.jsonl'),
    })
    const states = {
      QUEUED: 'validating',
      PENDING: 'validating',
      RUNNING: 'in_progress',
      SUCCEEDED: 'completed',
      PARTIALLY_SUCCEEDED: 'completed',
      FAILED: 'failed',
      CANCELLING: 'cancelling',
      CANCELLED: 'cancelled',
      EXPIRED: 'expired',
    }
    for (const [theirs, ours] of Object.entries(states)) {
      job = { ...job, state: `JOB_STATE_${theirs}` }
      const read = await ask(gateway, 'GET /v1/batches/77', { headers })
      expect([theirs, read.body.status]).to.deep.equal([theirs, ours])
    }
    job = { ...job, state: 'JOB_STATE_RUNNING' }
    const cancelled = await ask(gateway, 'POST /v1/batches/77/cancel', { headers })
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelling'])
  })

  it('work together with tuning jobs, whose model is called at its endpoint', async () => {
    const body = {
      model: 'gemini-2.5-flash',
      training_file: encodeURIComponent('gs://files/train.jsonl'),
      suffix: 'mine',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } },
    }
    const made = await ask(gateway, 'POST /v1/fine_tuning/jobs', { headers, body })
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    expect(made.body).to.deep.include({
      id: '88',
      status: 'running',
      model: 'gemini-2.5-flash',
      training_file: body.training_file,
    })
    expect(job).to.deep.include({
      baseModel: 'gemini-2.5-flash',
      tunedModelDisplayName: 'mine',
      supervisedTuningSpec: {
        trainingDatasetUri: 'gs://files/train.jsonl',
        hyperParameters: { epochCount: 2 },
      },
    })
    const endpoint = 'projects/p1/locations/us-central1/endpoints/55'
    job = {
      ...job,
      state: 'JOB_STATE_SUCCEEDED',
      tunedModel: {
        endpoint,
        checkpoints: [
          { checkpointId: '1', step: '10', endpoint },
          { checkpointId: '2', step: '20', endpoint },
        ],
      },
    }
    const read = await ask(gateway, 'GET /v1/fine_tuning/jobs/88', { headers })
    expect(read.body).to.deep.include({ status: 'succeeded', fine_tuned_model: 'google/endpoints/55' })
    const checkpoints = await ask(gateway, 'GET /v1/fine_tuning/jobs/88/checkpoints', { headers })
    expect((checkpoints.body.data as Json[]).map(({ step_number }) => step_number)).to.deep.equal([20, 10])
    const cancelled = await ask(gateway, 'POST /v1/fine_tuning/jobs/88/cancel', { headers })
    expect(cancelled.body.status).to.equal('cancelled')
  })
})
