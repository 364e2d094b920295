/** Batches run by the gateway: every line is a request through the pipeline. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { answerGate, ask, download, type Json, type Reply, upload } from './fixtures.ts'

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`

const line = (id: number | string, content = `say ${id}`, extra: Json = {}): Json => ({
  custom_id: String(id),
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-5.4', messages: [{ role: 'user', content }], ...extra },
})
const jsonl = (lines: readonly unknown[]) => lines.map((one) => `${JSON.stringify(one)}\n`).join('')
const parse = (text: string): Json[] =>
  text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one))

describe('batches run by the gateway', () => {
  let gateway: TestGateway
  let upstream: Upstream
  /** Contents of lines with scripted answers of the upstream. */
  const answers = new Map<string, (call: number) => { status: number; headers?: Record<string, string> }>()
  const calls = new Map<string, number>()
  let most = 0
  let running = 0
  const gate = answerGate()
  before(async () => {
    upstream = await openUpstream(async (request, response) => {
      const messages = (request.json?.messages ?? []) as { content: string }[]
      const content = messages[0]?.content ?? ''
      const count = (calls.get(content) ?? 0) + 1
      calls.set(content, count)
      running += 1
      most = Math.max(most, running)
      await (gate.opened ?? new Promise((resolve) => setTimeout(resolve, 20)))
      running -= 1
      const { status, headers = {} } = answers.get(content)?.(count) ?? { status: 200 }
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(
        JSON.stringify(
          status === 200
            ? {
                id: 'chatcmpl-1',
                object: 'chat.completion',
                created: 1,
                model: 'gpt-5.4',
                choices: [
                  {
                    index: 0,
                    finish_reason: 'stop',
                    message: { role: 'assistant', content: `to ${content}` },
                  },
                ],
                usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
              }
            : { error: { message: 'no', type: 'x', code: 'refused_here' } },
        ),
      )
    })
    gateway = await startGateway({
      batches: { concurrency: 5 },
      providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      workspaces: { other: { name: 'Other' } },
      api_keys: [
        { name: 'other', key_hash: hashOf('other-key'), scopes: ['completions.write'], workspace: 'other' },
      ],
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    answers.clear()
    most = 0
  })

  const key = { 'x-gateway-virtual-key': 'up' }
  const errorOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]
  const fileOf = async (lines: readonly unknown[] | string) =>
    String((await upload(gateway, typeof lines === 'string' ? lines : jsonl(lines))).body.id)
  const create = (body: Json, headers: Record<string, string> = key) =>
    ask(gateway, 'POST /v1/batches', { body, headers })
  const createOf = async (lines: readonly unknown[] | string, rest: Json = {}, headers = key) =>
    create(
      {
        input_file_id: await fileOf(lines),
        completion_window: 'immediate',
        endpoint: '/v1/chat/completions',
        ...rest,
      },
      headers,
    )
  const read = async (id: unknown) => (await ask(gateway, `GET /v1/batches/${id}`)).body
  async function end(id: unknown, state = /^(completed|failed|cancelled|expired)$/): Promise<Json> {
    return until('the batch ends', async () => {
      const batch = await read(id)
      return state.test(String(batch.status)) ? batch : null
    })
  }
  const content = async (id: unknown) => parse((await download(gateway, `/v1/files/${id}/content`)).text)

  it('begin with the status validating', async () => {
    const { status, body } = await createOf([line(1)], { metadata: { team: 'a' } })
    expect(status).to.equal(200)
    expect(body.id).to.match(/^gwbatch-[0-9a-f]{32}$/)
    expect(body).to.deep.include({
      object: 'batch',
      endpoint: '/v1/chat/completions',
      completion_window: 'immediate',
      status: 'validating',
      errors: null,
      output_file_id: null,
      error_file_id: null,
      in_progress_at: null,
      completed_at: null,
      metadata: { team: 'a' },
      request_counts: { total: 0, completed: 0, failed: 0 },
    })
    expect(Number(body.expires_at) - Number(body.created_at)).to.equal(86_400)
    await end(body.id)
  })

  it('run every line, a few in parallel, and write the output in input order', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => line(`id-${index}`, `ordered ${index}`))
    const release = gate.hold()
    const { body } = await createOf(lines)
    await until('as many lines are in flight as may be', () => running >= 5)
    release()
    const batch = await end(body.id)
    expect(batch).to.deep.include({
      status: 'completed',
      error_file_id: null,
      request_counts: { total: 30, completed: 30, failed: 0 },
    })
    for (const name of ['in_progress_at', 'finalizing_at', 'completed_at'])
      expect(batch[name]).to.be.a('number')
    expect(batch.usage).to.deep.include({ input_tokens: 300, output_tokens: 150, total_tokens: 450 })
    expect(batch.cost).to.be.greaterThan(0)
    expect(most).to.equal(5)
    const metrics = await (await gateway.get('/metrics')).text()
    expect(metrics).to.match(/gateway_batch_lines_total\{result="completed"\} [1-9]/)
    expect(metrics).to.match(/gateway_files_bytes \d/)
    const output = await content(batch.output_file_id)
    expect(output.map(({ custom_id }) => custom_id)).to.deep.equal(lines.map(({ custom_id }) => custom_id))
    const [first] = output as [Json]
    expect(first).to.have.all.keys('id', 'custom_id', 'response', 'error')
    expect(first.error).to.equal(null)
    const response = first.response as Json
    expect(response.status_code).to.equal(200)
    expect(response.request_id).to.be.a('string')
    expect((response.body as Json).choices).to.have.length(1)
    const file = (await ask(gateway, `GET /v1/files/${batch.output_file_id}`)).body
    expect(file).to.deep.include({ purpose: 'batch_output', object: 'file' })
    expect(Number(file.expires_at)).to.be.greaterThan(Number(file.created_at))
  })

  it('put failed lines into the error file', async () => {
    answers.set('bad', () => ({ status: 400 }))
    const { body } = await createOf([line(1), line(2, 'bad'), line(3, 'x', { stream: true })])
    const batch = await end(body.id)
    expect(batch.request_counts).to.deep.equal({ total: 3, completed: 1, failed: 2 })
    const errors = await content(batch.error_file_id)
    expect(errors.map(({ custom_id, error }) => [custom_id, (error as Json).code])).to.deep.equal([
      ['2', 'refused_here'],
      ['3', 'invalid_body'],
    ])
    expect((errors[0] as { response: Json }).response.status_code).to.equal(400)
    const output = await download(gateway, `/v1/batches/${body.id}/output`)
    expect(output.headers.get('content-type')).to.equal('application/jsonl')
    expect(parse(output.text).map(({ custom_id }) => custom_id)).to.deep.equal(['1', '2', '3'])
  })

  it('are completed without an output file when every line failed', async () => {
    answers.set('bad', () => ({ status: 500 }))
    const { body } = await createOf([line(1, 'bad')])
    expect(await end(body.id)).to.deep.include({ status: 'completed', output_file_id: null })
  })

  it('wait when the provider answers 429, and retry the line', async () => {
    answers.set('busy', (call) =>
      call === 1 ? { status: 429, headers: { 'retry-after': '0' } } : { status: 200 },
    )
    const { body } = await createOf([line(1, 'busy'), line(2, 'not busy')])
    const batch = await end(body.id)
    expect(batch.request_counts).to.deep.equal({ total: 2, completed: 2, failed: 0 })
    expect(calls.get('busy')).to.equal(2)
  })

  it('report every error of the input with its line, and send nothing', async () => {
    const seen = upstream.seen.length
    const { custom_id: _, ...noId } = line(1)
    const { method: __, ...noMethod } = line('m')
    const { body: ___, ...noBody } = line('b')
    const text = [
      JSON.stringify(line(1)),
      '',
      'not json',
      '[1]',
      JSON.stringify(noId),
      JSON.stringify(line(1)),
      JSON.stringify({ ...line('u'), url: '/v1/embeddings' }),
      JSON.stringify(noMethod),
      JSON.stringify({ ...line('g'), method: 'GET' }),
      JSON.stringify(noBody),
      JSON.stringify(line('x'.repeat(65))),
    ].join('\r\n')
    const { body } = await createOf(text)
    const batch = await end(body.id)
    expect(batch.status).to.equal('failed')
    expect(batch.failed_at).to.be.a('number')
    const { object, data } = batch.errors as { object: string; data: Json[] }
    expect(object).to.equal('list')
    expect(data.map(({ line: at, code, param }) => [at, code, param])).to.deep.equal([
      [3, 'invalid_json_line', null],
      [4, 'invalid_json_line', null],
      [5, 'missing_required_parameter', 'custom_id'],
      [6, 'duplicate_custom_id', 'custom_id'],
      [7, 'mismatched_url', 'url'],
      [8, 'missing_required_parameter', 'method'],
      [9, 'invalid_method', 'method'],
      [10, 'missing_required_parameter', 'body'],
      [11, 'invalid_custom_id', 'custom_id'],
    ])
    expect(upstream.seen.length).to.equal(seen)
  })

  it('fail for an empty file', async () => {
    const { body } = await createOf('\n\n')
    const { errors } = await end(body.id)
    expect((errors as { data: Json[] }).data).to.deep.equal([
      { code: 'empty_file', message: 'The file has no lines.', param: null, line: null },
    ])
  })

  it('accept a byte order mark, CRLF and a last line without a line break', async () => {
    const { body } = await createOf(`\ufeff${JSON.stringify(line(1))}\r\n\r\n${JSON.stringify(line(2))}`)
    expect((await end(body.id)).request_counts).to.deep.equal({ total: 2, completed: 2, failed: 0 })
  })

  const sound = {
    input_file_id: 'gwfile-1',
    completion_window: 'immediate',
    endpoint: '/v1/chat/completions',
  }
  const refused: [what: string, body: Json, status: number, code: string, param: string][] = [
    ['without a file', { ...sound, input_file_id: undefined }, 400, 'invalid_body', '/input_file_id'],
    ['for another window', { ...sound, completion_window: '1h' }, 400, 'invalid_body', '/completion_window'],
    ['for another endpoint', { ...sound, endpoint: '/v1/rerank' }, 400, 'invalid_body', '/endpoint'],
    [
      'for an endpoint that 24h does not have',
      { ...sound, completion_window: '24h', endpoint: '/v1/responses' },
      400,
      'invalid_body',
      '/endpoint',
    ],
    [
      'with metadata that is not a string',
      { ...sound, metadata: { a: 1 } },
      400,
      'invalid_body',
      '/metadata/a',
    ],
    ['with an unknown member', { ...sound, colour: 'red' }, 400, 'invalid_body', ''],
    ['for an unknown file', sound, 404, 'not_found', '/input_file_id'],
  ]
  for (const [what, body, status, code, param] of refused) {
    it(`are refused ${what}`, async () => {
      expect(errorOf(await create(body))).to.deep.equal([status, code, param])
    })
  }

  it('are refused without a target, and for a file with another purpose', async () => {
    const id = await fileOf([line(1)])
    const body = { ...sound, input_file_id: id }
    expect(errorOf(await create(body, {}))).to.deep.equal([
      400,
      'no_provider',
      'header/x-gateway-virtual-key',
    ])
    const other = (await upload(gateway, 'text', { purpose: 'assistants' })).body.id
    expect(errorOf(await create({ ...body, input_file_id: other }))).to.deep.equal([
      400,
      'invalid_file',
      '/input_file_id',
    ])
  })

  it('accept gateway_options instead of headers', async () => {
    const { status, body } = await createOf(
      [line(1)],
      { gateway_options: { 'virtual-key': 'up' } },
      {} as typeof key,
    )
    expect(status).to.equal(200)
    expect((await end(body.id)).status).to.equal('completed')
  })

  it('accept any config, and route each line separately', async () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [target('http://127.0.0.1:1/v1'), { provider: '@up' }],
    }
    const { status, body } = await createOf([line(1)], {}, configHeader(config) as unknown as typeof key)
    expect(status).to.equal(200)
    expect((await end(body.id)).request_counts).to.deep.include({ completed: 1 })
  })

  it('log each line with its batch, and the creating call once', async () => {
    const { body } = await createOf([line(1, 'logged 1'), line(2, 'logged 2')], {}, {
      ...key,
      'x-gateway-trace-id': 'trace-of-batch',
    } as typeof key)
    await end(body.id)
    const { log } = gateway.runtime.store
    const entries = () => log.list({ fields: { trace_id: ['trace-of-batch'] } }, { limit: 10 })
    const found = await until('the log has three entries', async () => {
      const logged = await entries()
      return logged.length >= 3 ? logged : null
    })
    const seen = found.map(({ fields }) => [fields.endpoint_type, fields.span_id, fields.batch_id])
    expect(seen).to.have.deep.members([
      ['createBatch', null, null],
      ['chatComplete', 'trace-of-batch-1', body.id],
      ['chatComplete', 'trace-of-batch-2', body.id],
    ])
  })

  it('can be cancelled: lines in flight finish, and the others are in no file', async () => {
    const release = gate.hold()
    const { body } = await createOf(Array.from({ length: 20 }, (_, index) => line(index, `held ${index}`)))
    await until('lines are under way', () => running >= 5)
    const cancelled = await ask(gateway, `POST /v1/batches/${body.id}/cancel`)
    expect([cancelled.status, cancelled.body.status]).to.deep.equal([200, 'cancelling'])
    const inUse = await ask(gateway, `DELETE /v1/files/${body.input_file_id}`)
    expect(errorOf(inUse)).to.deep.equal([409, 'conflict', 'path/file_id'])
    expect(errorOf(await ask(gateway, `GET /v1/batches/${body.id}/output`))).to.deep.equal([
      409,
      'conflict',
      'path/batch_id',
    ])
    release()
    const batch = await end(body.id)
    expect(batch.status).to.equal('cancelled')
    expect((await content(batch.output_file_id)).length).to.equal(5)
    const again = await ask(gateway, `POST /v1/batches/${body.id}/cancel`)
    expect(errorOf(again)).to.deep.equal([409, 'conflict', 'path/batch_id'])
    expect((await ask(gateway, `DELETE /v1/files/${body.input_file_id}`)).status).to.equal(200)
  })

  it('run their failed lines again as a new batch', async () => {
    answers.set('once', (call) => ({ status: call === 1 ? 500 : 200 }))
    const { body } = await createOf([line(1), line(2, 'once')])
    const first = await end(body.id)
    expect(first.request_counts).to.deep.equal({ total: 2, completed: 1, failed: 1 })
    const again = await ask(gateway, `POST /v1/batches/${body.id}/retry`)
    expect([again.status, again.body.retry_of]).to.deep.equal([200, body.id])
    const second = await end(again.body.id)
    expect(second.request_counts).to.deep.equal({ total: 1, completed: 1, failed: 0 })
    expect((await content(second.output_file_id)).map(({ custom_id }) => custom_id)).to.deep.equal(['2'])
    const none = await ask(gateway, `POST /v1/batches/${again.body.id}/retry`)
    expect(errorOf(none)).to.deep.equal([409, 'conflict', 'path/batch_id'])
  })

  it('can be validated in a dry run', async () => {
    const seen = upstream.seen.length
    const lines = [line(1, 'x'.repeat(400), { max_tokens: 50 }), line(2, 'y', { stream: true })]
    const { status, body } = await createOf(lines, { dry_run: true })
    expect(status).to.equal(200)
    expect(body).to.deep.include({ object: 'batch.dry_run', valid: false, errors: null, lines: 2 })
    expect(body.estimate).to.deep.include({ input_tokens: 100, max_output_tokens: 50 })
    expect((body.refusals as Json[]).map(({ line: at, code }) => [at, code])).to.deep.equal([
      [2, 'invalid_body'],
    ])
    expect(upstream.seen.length).to.equal(seen)
  })

  it('are listed newest first, and only within their workspace', async () => {
    const made = (await createOf([line(1)])).body
    const list = await ask(gateway, 'GET /v1/batches?limit=1')
    expect((list.body.data as Json[])[0]?.id).to.equal(made.id)
    expect(list.body).to.deep.include({ object: 'list', has_more: true, first_id: made.id, last_id: made.id })
    const other = { headers: { 'x-gateway-api-key': 'other-key' } }
    expect((await ask(gateway, 'GET /v1/batches', other)).body.data).to.deep.equal([])
    expect(errorOf(await ask(gateway, `GET /v1/batches/${made.id}`, other))).to.deep.equal([
      404,
      'not_found',
      'path/batch_id',
    ])
    expect(errorOf(await ask(gateway, 'GET /v1/batches?limit=101'))).to.deep.equal([
      400,
      'invalid_query',
      'query/limit',
    ])
    expect(errorOf(await ask(gateway, 'GET /v1/batches?after=gwbatch-1'))).to.deep.equal([
      400,
      'invalid_cursor',
      'query/after',
    ])
    await end(made.id)
  })

  it('run on echo for either completion window', async () => {
    const { body } = await createOf([line(1)], { completion_window: '24h' }, {
      'x-gateway-provider': 'echo',
    } as unknown as typeof key)
    expect((await end(body.id)).request_counts).to.deep.include({ completed: 1 })
  })
})
