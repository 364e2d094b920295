/**
 * The rows of the tables of files, batches and jobs that the other suites do not cover (management contract, section
 * 17).
 */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { answerGate, ask, download, type Json, makeKey, type Reply, upload } from './fixtures.ts'
import { chatLine, isOver, jsonl, parseLines } from './provider-gateway.ts'

const up = { 'x-gateway-virtual-key': 'up' }
const echo = { 'x-gateway-provider': 'echo' }

describe('batches, by the rows of the specification:', () => {
  let gateway: TestGateway
  let upstream: Upstream
  const gate = answerGate()
  before(async () => {
    upstream = await openUpstream(async (request, response) => {
      if (request.method === 'GET') {
        sendJson(response, 404, { error: { message: 'no such file' } })
        return
      }
      await gate.opened
      if (request.path.endsWith('/embeddings'))
        sendJson(response, 200, {
          object: 'list',
          model: 'text-embedding',
          data: [
            { object: 'embedding', index: 0, embedding: request.text.includes('another') ? [0, 1] : [1, 0] },
          ],
          usage: { prompt_tokens: 1, total_tokens: 1 },
        })
      else sendJson(response, 200, chatAnswer('ok', { model: 'gpt-4.1' }))
    })
    gateway = await startGateway({
      server: { body_limit: 10_000 },
      batches: { concurrency: 1 },
      cache: { semantic: { provider: 'vectors', model: 'text-embedding' } },
      providers: {
        up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url },
        vectors: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url },
        fast: { provider: 'groq', api_key: 'gsk', custom_host: upstream.url },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const errorOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]
  const fileOf = async (lines: readonly unknown[] | string) =>
    String((await upload(gateway, typeof lines === 'string' ? lines : jsonl(lines))).body.id)
  const create = (body: Json, headers: Record<string, string> = up) =>
    ask(gateway, 'POST /v1/batches', {
      body: { completion_window: 'immediate', endpoint: '/v1/chat/completions', ...body },
      headers,
    })
  const createOf = async (
    lines: readonly unknown[] | string,
    rest: Json = {},
    headers: Record<string, string> = up,
  ) => {
    const reply = await create({ input_file_id: await fileOf(lines), ...rest }, headers)
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200)
    return String(reply.body.id)
  }
  const read = async (id: string) => (await ask(gateway, `GET /v1/batches/${id}`)).body
  const ended = (id: string): Promise<Json> =>
    until('the batch ends', async () => {
      const batch = await read(id)
      return isOver(batch) ? batch : null
    })
  const output = async (id: string) =>
    parseLines((await download(gateway, `/v1/batches/${id}/output`)).text) as {
      custom_id: string
      response: { status_code: number; body: Json } | null
      error: { code: string; message: string } | null
    }[]
  const requests = () => upstream.seen.filter(({ method }) => method === 'POST').length
  const files = async () => (await ask(gateway, 'GET /v1/files')).body.data?.length

  describe('creating a batch', () => {
    it('returns every field, with null for absent ones', async () => {
      const { body } = await create({ input_file_id: await fileOf([chatLine('a')]) })
      expect(body).to.deep.include({
        errors: null,
        output_file_id: null,
        error_file_id: null,
        in_progress_at: null,
        finalizing_at: null,
        completed_at: null,
        failed_at: null,
        expired_at: null,
        cancelling_at: null,
        cancelled_at: null,
        metadata: null,
        usage: null,
        model: null,
        retry_of: null,
      })
      const batch = await ended(String(body.id))
      expect(batch).to.include({ error_file_id: null, failed_at: null, expired_at: null, cancelled_at: null })
      const shown = await ask(gateway, `GET /v1/batches/${batch.id}?include_provider_details=true`)
      expect(shown.body.provider_details).to.equal(null)
      expect(batch).to.not.have.property('provider_details')
      const odd = await ask(gateway, `GET /v1/batches/${batch.id}?include_provider_details=1`)
      expect(errorOf(odd)).to.deep.equal([400, 'invalid_query', 'query/include_provider_details'])
    })

    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
    const refused: [what: string, body: Json, code: string, param: string][] = [
      ['17 pairs of metadata', { metadata: pairs(17) }, 'invalid_body', '/metadata'],
      ['a long key of metadata', { metadata: { ['k'.repeat(65)]: 'v' } }, 'invalid_body', '/metadata'],
      ['a long value of metadata', { metadata: { k: 'v'.repeat(513) } }, 'invalid_body', '/metadata/k'],
      [
        'an expiry that is too soon',
        { output_expires_after: { anchor: 'created_at', seconds: 1 } },
        'invalid_body',
        '/output_expires_after/seconds',
      ],
      ['a model that is not a string', { model: 1 }, 'invalid_body', '/model'],
      ['no window', { completion_window: undefined }, 'invalid_body', '/completion_window'],
      ['no endpoint', { endpoint: undefined }, 'invalid_body', '/endpoint'],
    ]
    for (const [what, change, code, param] of refused) {
      it(`is refused for ${what}`, async () => {
        expect(errorOf(await create({ input_file_id: 'gwfile-1', ...change }))).to.deep.equal([
          400,
          code,
          param,
        ])
      })
    }

    it('accepts 16 pairs with keys of 64 and values of 512 characters', async () => {
      const metadata = { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) }
      const id = await createOf([chatLine('a')], { metadata })
      expect((await ended(id)).metadata).to.deep.equal(metadata)
    })

    it('validates the body first, then the target, then the file', async () => {
      const unknown = { input_file_id: `gwfile-${'0'.repeat(32)}` }
      expect(errorOf(await create({ ...unknown, endpoint: '/v1/x' }, {}))).to.deep.equal([
        400,
        'invalid_body',
        '/endpoint',
      ])
      expect(errorOf(await create(unknown, {}))).to.deep.equal([
        400,
        'no_provider',
        'header/x-gateway-virtual-key',
      ])
      const at = { 'x-gateway-virtual-key': 'nobody' }
      expect((await create(unknown, at)).body.error?.code).to.equal('unknown_virtual_key')
      const without = await create(
        { ...unknown, completion_window: '24h' },
        { 'x-gateway-virtual-key': 'fast' },
      )
      expect(errorOf(without).slice(0, 2)).to.deep.equal([400, 'unsupported_endpoint'])
      expect(errorOf(await create(unknown))).to.deep.equal([404, 'not_found', '/input_file_id'])
    })

    it('is refused if its provider cannot read the file, for any id of the file', async () => {
      for (const id of ['file-nobody', 'file-\ud800', '../batches'])
        expect(errorOf(await create({ input_file_id: id }))).to.deep.equal([
          400,
          'invalid_file',
          '/input_file_id',
        ])
    })

    it('uses the model of the batch for lines without a model', async () => {
      const { body, ...line } = chatLine('a') as { body: Json }
      const { model: _, ...rest } = body
      const id = await createOf([{ ...line, body: rest }, chatLine('b')], { model: 'of-the-batch' })
      const before = requests()
      expect((await ended(id)).model).to.equal('of-the-batch')
      expect(requests() - before).to.be.at.most(2)
      expect(upstream.seen.slice(-2).map(({ json }) => json?.model)).to.deep.equal([
        'of-the-batch',
        'gpt-4.1',
      ])
    })

    for (const [endpoint, body] of [
      ['/v1/completions', { model: 'm', prompt: 'a' }],
      ['/v1/embeddings', { model: 'm', input: 'a' }],
      ['/v1/responses', { model: 'm', input: 'a' }],
      ['/v1/moderations', { model: 'm', input: 'a' }],
      ['/v1/images/generations', { model: 'm', prompt: 'a' }],
    ] as const) {
      it(`runs lines of ${endpoint}`, async () => {
        const line = { custom_id: 'a', method: 'POST', url: endpoint, body }
        const batch = await ended(await createOf([line], { endpoint }, echo))
        const [{ response } = { response: null }] = await output(String(batch.id))
        expect(response?.status_code, JSON.stringify(response)).to.equal(200)
        expect(batch.request_counts).to.deep.equal({ total: 1, completed: 1, failed: 0 })
      })
    }
  })

  describe('the input', () => {
    const faultsOf = async (text: string) => {
      const batch = await ended(await createOf(text))
      expect(batch).to.include({ status: 'failed', output_file_id: null, error_file_id: null })
      expect(batch.request_counts).to.include({ completed: 0, failed: 0 })
      return (batch.errors as { data: Json[] }).data
    }

    it('is reported for members of a wrong type', async () => {
      const line = chatLine('a')
      const text = [
        { ...line, method: 5 },
        { ...line, custom_id: 5 },
        { ...line, custom_id: '' },
        { ...line, custom_id: 'b', url: 5 },
        { ...line, custom_id: 'c', body: [] },
        { ...line, custom_id: 'd', method: 'post' },
      ]
      const data = await faultsOf(jsonl(text))
      expect(data.map(({ line: at, code, param }) => [at, code, param])).to.deep.equal([
        [1, 'missing_required_parameter', 'method'],
        [2, 'missing_required_parameter', 'custom_id'],
        [3, 'missing_required_parameter', 'custom_id'],
        [4, 'missing_required_parameter', 'url'],
        [5, 'missing_required_parameter', 'body'],
        [6, 'invalid_method', 'method'],
      ])
      expect(data[0]).to.have.all.keys('code', 'message', 'param', 'line')
    })

    it('is reported with at most the first hundred errors', async () => {
      const data = await faultsOf('x\n'.repeat(150))
      expect(data).to.have.length(100)
      expect(data.at(-1)).to.include({ line: 100, code: 'invalid_json_line' })
    })

    it('contains no line above server.body_limit', async () => {
      const data = await faultsOf(jsonl([chatLine('a', 'x'.repeat(10_000)), chatLine('b')]))
      expect(data.map(({ line, code }) => [line, code])).to.deep.equal([[1, 'invalid_json_line']])
    })

    it('contains at most 50,000 lines', async () => {
      const data = await faultsOf('{}\n'.repeat(50_001))
      expect(data[0]).to.include({ code: 'too_many_requests', line: null, param: null })
    })
  })

  describe('the lines', () => {
    it('are written to the output file with 246, and to the error file with 446', async () => {
      const guard = (deny: boolean, word: string) => ({
        id: `g-${word}`,
        deny,
        checks: [{ id: 'default.contains', parameters: { operator: 'none', words: [word] } }],
      })
      const config = { provider: '@up', input_guardrails: [guard(false, 'frown'), guard(true, 'forbidden')] }
      const id = await createOf(
        [chatLine('a', 'fine'), chatLine('b', 'frown'), chatLine('c', 'forbidden')],
        {},
        configHeader(config) as Record<string, string>,
      )
      const batch = await ended(id)
      expect(batch.request_counts).to.deep.equal({ total: 3, completed: 2, failed: 1 })
      const rows = await output(id)
      expect(
        rows.map(({ custom_id, response, error }) => [custom_id, response?.status_code, error?.code ?? null]),
      ).to.deep.equal([
        ['a', 200, null],
        ['b', 246, null],
        ['c', 446, rows[2]?.error?.code],
      ])
      expect(rows[1]?.response?.body).to.have.property('hook_results')
      expect(rows[2]?.response?.body).to.have.property('hook_results')
      expect(rows[2]?.error?.code).to.be.a('string')
    })

    it('use the headers of the call that created the batch', async () => {
      const id = await createOf(
        [chatLine('a')],
        {},
        {
          ...up,
          'x-gateway-metadata': JSON.stringify({ team: 'blue' }),
          'x-gateway-forward-headers': 'x-mine',
          'x-mine': 'here',
        },
      )
      await ended(id)
      expect(upstream.seen.at(-1)?.headers['x-mine']).to.equal('here')
      const { log } = gateway.runtime.store
      const entry = await until('the line is logged', async () => {
        const found = await log.list({ fields: { endpoint_type: ['chatComplete'] } }, { limit: 100 })
        return found.find(({ fields }) => fields.batch_id === id) ?? null
      })
      expect(entry.metadata).to.include({ team: 'blue' })
    })

    it('are logged with the results of async hooks, and with their internal calls', async () => {
      const config = {
        provider: '@up',
        input_guardrails: [
          {
            id: 'slow',
            async: true,
            checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['x'] } }],
          },
        ],
        cache: { mode: 'semantic' },
      }
      const headers = { ...configHeader(config), 'x-gateway-trace-id': 'hooked' } as Record<string, string>
      const batch = await ended(await createOf([chatLine('a'), chatLine('b', 'another')], {}, headers))
      expect(batch.request_counts).to.deep.equal({ total: 2, completed: 2, failed: 0 })
      expect(batch.usage).to.include({ input_tokens: 6 })
      const { log } = gateway.runtime.store
      const entries = await until('all entries are there', async () => {
        const found = await log.list({ fields: { trace_id: ['hooked'] } }, { limit: 20 })
        return found.length >= 5 ? found : null
      })
      expect(entries.map(({ fields }) => fields.endpoint_type).sort()).to.deep.equal([
        'chatComplete',
        'chatComplete',
        'createBatch',
        'embed',
        'embed',
      ])
      await until('nothing is waited for', () => gateway.runtime.inFlight.count === 0)
    })

    it('fail one by one when a limit is exhausted, and the batch continues', async () => {
      const { key } = await makeKey(gateway, { usage_limits: { type: 'requests', credit_limit: 2 } })
      const as = { ...up, 'x-gateway-api-key': key }
      const id = await createOf(
        Array.from({ length: 4 }, (_, index) => chatLine(`l${index}`)),
        {},
        as,
      )
      const batch = await ended(id)
      expect(batch).to.include({ status: 'completed' })
      const rows = await output(id)
      expect(rows.map(({ custom_id, response }) => [custom_id, response?.status_code])).to.deep.equal([
        ['l0', 200],
        ['l1', 200],
        ['l2', 412],
        ['l3', 412],
      ])
      expect(rows[2]?.error?.code).to.equal('usage_limit_exceeded')
      expect(batch.request_counts).to.deep.equal({ total: 4, completed: 2, failed: 2 })
    })

    const losses: [what: string, lose: (id: string) => Promise<unknown>, code: string][] = [
      ['is archived', (id) => ask(gateway, `DELETE /v1/api-keys/${id}`), 'invalid_api_key'],
      [
        'loses its scope',
        (id) => ask(gateway, `PUT /v1/api-keys/${id}`, { body: { scopes: ['models.list'] } }),
        'forbidden',
      ],
    ]
    for (const [what, lose, code] of losses) {
      it(`that remain fail with ${code} when the key ${what}`, async () => {
        const made = await makeKey(gateway)
        const release = gate.hold()
        const seen = requests()
        const as = { ...up, 'x-gateway-api-key': made.key }
        const id = await createOf([chatLine('a'), chatLine('b'), chatLine('c')], {}, as)
        await until('the first line is under way', () => requests() > seen)
        await lose(made.id)
        release()
        const batch = await ended(id)
        expect(batch).to.include({ status: 'completed' })
        const rows = await output(id)
        expect(rows.map(({ custom_id, error }) => [custom_id, error?.code ?? null])).to.deep.equal([
          ['a', null],
          ['b', code],
          ['c', code],
        ])
        expect(requests()).to.equal(seen + 1)
      })
    }
  })

  describe('in a dry run', () => {
    it('nothing is stored and nothing is sent, in either mode', async () => {
      const before = await files()
      const seen = requests()
      for (const completion_window of ['immediate', '24h']) {
        const reply = await create({ input_file_id: 'file-theirs', completion_window, dry_run: true })
        expect(errorOf(reply), completion_window).to.deep.equal([400, 'invalid_file', '/input_file_id'])
      }
      expect(await files()).to.equal(before)
      expect(requests()).to.equal(seen)
    })

    it('reports errors, refusals and the estimated cost of the lines', async () => {
      const { max_tokens: _, ...rest } = (chatLine('a') as { body: Json }).body
      const input_file_id = await fileOf([
        chatLine('a', 'x'.repeat(40)),
        chatLine('a'),
        { ...chatLine('b'), body: { ...rest, temperature: 9 } },
      ])
      const { status, body } = await create({ input_file_id, dry_run: true })
      expect(status).to.equal(200)
      expect(body).to.have.all.keys('object', 'valid', 'errors', 'lines', 'estimate', 'refusals')
      expect(body).to.include({ valid: false, lines: 3 })
      expect((body.errors as { data: Json[] }).data.map(({ code, line }) => [code, line])).to.deep.equal([
        ['duplicate_custom_id', 2],
      ])
      expect((body.refusals as Json[]).map(({ line, code }) => [line, code])).to.deep.equal([
        [3, 'invalid_body'],
      ])
      expect(body.estimate).to.deep.include({ input_tokens: 10, max_output_tokens: 10 })
      // The price of gpt-4.1: 10 × 0.0002 and 10 × 0.0008 cents.
      expect((body.estimate as Json).cost).to.be.closeTo(0.01, 1e-9)
      const list = await ask(gateway, 'GET /v1/batches')
      expect((list.body.data as Json[]).map((one) => one.input_file_id)).to.not.include(input_file_id)
    })

    it('a batch is refused when the real one would be', async () => {
      const input_file_id = await fileOf([chatLine('a')])
      const body = { input_file_id, completion_window: '24h', dry_run: true }
      const reply = await create(body, { 'x-gateway-virtual-key': 'fast' })
      expect(errorOf(reply).slice(0, 2)).to.deep.equal([400, 'unsupported_endpoint'])
    })
  })

  describe('a stored batch', () => {
    it("expires after the days in the config, or at the creator's time", async () => {
      const plain = await ended(await createOf([chatLine('a')]))
      const day = 86_400
      const file = async (id: unknown) => (await ask(gateway, `GET /v1/files/${id}`)).body
      const output = await file(plain.output_file_id)
      expect(Number(output.expires_at) - Number(output.created_at)).to.be.within(30 * day - 60, 30 * day + 60)
      const input = await until('the input has an expiry', async () => {
        const read = await file(plain.input_file_id)
        return read.expires_at === null ? null : read
      })
      expect(Number(input.expires_at)).to.be.at.least(Number(output.created_at) + 30 * day - 60)
      const other = await ended(
        await createOf([chatLine('a')], { output_expires_after: { anchor: 'created_at', seconds: 7200 } }),
      )
      const short = await file(other.output_file_id)
      expect(Number(short.expires_at) - Number(short.created_at)).to.be.within(7140, 7260)
    })

    it('keeps its files, which can be deleted; then it has no output', async () => {
      const batch = await ended(await createOf([chatLine('a')]))
      for (const id of [batch.output_file_id, batch.input_file_id])
        expect((await ask(gateway, `DELETE /v1/files/${id}`)).status).to.equal(200)
      const again = await read(String(batch.id))
      expect(again).to.include({ output_file_id: batch.output_file_id, input_file_id: batch.input_file_id })
      expect(errorOf(await ask(gateway, `GET /v1/batches/${batch.id}/output`))).to.deep.equal([
        404,
        'not_found',
        'path/batch_id',
      ])
      expect((await ask(gateway, `DELETE /v1/batches/${batch.id}`)).status).to.equal(405)
    })

    it('is recorded in the audit log, and in one log entry without cost', async () => {
      const release = gate.hold()
      const seen = requests()
      const id = await createOf(
        [chatLine('a'), chatLine('b')],
        {},
        { ...up, 'x-gateway-trace-id': 'audited' },
      )
      await until('a line is under way', () => requests() > seen)
      await ask(gateway, `POST /v1/batches/${id}/cancel`)
      release()
      await ended(id)
      const { body } = await ask(gateway, 'GET /v1/audit-logs?resource_type=batch&page_size=2')
      expect((body.data as Json[]).map(({ action }) => action)).to.deep.equal(['cancel', 'create'])
      const { log } = gateway.runtime.store
      const [entry] = await until('the call is logged', async () => {
        const filter = { fields: { trace_id: ['audited'], endpoint_type: ['createBatch'] } }
        const found = await log.list(filter, { limit: 10 })
        return found.length > 0 ? found : null
      })
      expect(entry?.fields.cost ?? 0).to.equal(0)
    })

    it('is counted in the metrics while it runs', async () => {
      const release = gate.hold()
      const id = await createOf([chatLine('a')])
      await until('it is counted', async () =>
        /gateway_batches\{status="in_progress"\} [1-9]/.test(await (await gateway.get('/metrics')).text()),
      )
      release()
      await ended(id)
    })
  })

  it('answer 404 not_found when none exists', async () => {
    const id = `gwbatch-${'0'.repeat(32)}`
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['GET', '/output'],
      ['POST', '/retry'],
    ] as const)
      expect(errorOf(await ask(gateway, `${method} /v1/batches/${id}${path}`)), path).to.deep.equal([
        404,
        'not_found',
        'path/batch_id',
      ])
  })

  it('are cancelled at once when nothing was sent', async () => {
    const release = gate.hold()
    const first = await createOf([chatLine('a')])
    const { body } = await create({ input_file_id: await fileOf('{}\n'.repeat(50_000)) })
    const cancelled = await ask(gateway, `POST /v1/batches/${body.id}/cancel`)
    release()
    if (cancelled.status === 200) {
      expect(cancelled.body).to.include({ status: 'cancelled' })
      expect(cancelled.body.cancelled_at).to.be.a('number')
    } else expect((await read(String(body.id))).status).to.equal('failed')
    await ended(first)
  })

  describe('of an organisation key', () => {
    it('answer 403 missing_scope, like files and jobs', async () => {
      const made = await ask(gateway, 'POST /v1/api-keys/organisation/service', {
        body: { name: 'o', scopes: ['prompts.read'] },
      })
      const as = { 'x-gateway-api-key': String(made.body.key) }
      for (const path of ['/v1/files', '/v1/batches', '/v1/fine_tuning/jobs']) {
        const reply = await ask(gateway, `GET ${path}`, { headers: as })
        expect([reply.status, reply.body.error?.code], path).to.deep.equal([403, 'missing_scope'])
      }
    })
  })

  describe('with echo', () => {
    it('has its own files, batches and jobs', async () => {
      const made = await upload(gateway, jsonl([chatLine('a')]), { headers: echo })
      expect(made.body.id).to.match(/^file-echo-/)
      const listed = await ask(gateway, 'GET /v1/files', { headers: echo })
      expect(listed.body.data?.map(({ id }) => id)).to.include(made.body.id)
      const own = await ask(gateway, 'GET /v1/files')
      expect(own.body.data?.map(({ id }) => id)).to.not.include(made.body.id)
      const id = (await create({ input_file_id: made.body.id, completion_window: '24h' }, echo)).body.id
      expect(id).to.match(/^batch-echo-/)
      expect(await ended(String(id))).to.include({ status: 'completed' })
      const unknown = await create({ input_file_id: 'file-nobody', completion_window: '24h' }, echo)
      expect(errorOf(unknown)).to.deep.equal([404, 'not_found', '/input_file_id'])
    })
  })

  describe('fine-tuning jobs', () => {
    const job = async (extra: Json = {}) => {
      const training_file = (await upload(gateway, '{"a":1}\n', { purpose: 'fine-tune' })).body.id
      const reply = await ask(gateway, 'POST /v1/fine_tuning/jobs', {
        headers: echo,
        body: {
          model: 'm',
          training_file,
          suffix: 's',
          method: {
            type: 'dpo',
            dpo: { hyperparameters: { batch_size: 2, learning_rate_multiplier: 'auto' } },
          },
          ...extra,
        },
      })
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200)
      return reply.body
    }

    it('keep their seed and the hyperparameters of their method', async () => {
      const made = await job({ seed: 7 })
      expect(made.seed).to.equal(7)
      expect(made.hyperparameters).to.deep.equal({
        n_epochs: 'auto',
        batch_size: 2,
        learning_rate_multiplier: 'auto',
      })
      expect(made.method).to.deep.include({ type: 'dpo' })
    })

    it('list their events with every field, newest first', async () => {
      const { id } = await job()
      const events = await until('three events', async () => {
        const { body } = await ask(gateway, `GET /v1/fine_tuning/jobs/${id}/events`)
        return (body.data?.length ?? 0) >= 3 ? (body.data as Json[]) : null
      })
      for (const event of events) {
        expect(event).to.include({ object: 'fine_tuning.job.event' })
        expect(event).to.include.all.keys('id', 'created_at', 'level', 'message')
        expect(['info', 'warn', 'error']).to.include(event.level)
      }
      const times = events.map((event) => Number(event.created_at))
      expect(times).to.deep.equal([...times].sort((left, right) => right - left))
      const paged = await ask(gateway, `GET /v1/fine_tuning/jobs/${id}/events?limit=1&after=${events[0]?.id}`)
      expect(paged.body).to.include({ first_id: events[1]?.id, last_id: events[1]?.id })
    })

    for (const path of ['', '/ID/events', '/ID/checkpoints']) {
      it(`answer 400 in lists with limit=0, limit=101 or an unknown cursor: ${path}`, async () => {
        const { id } = await job()
        const at = `/v1/fine_tuning/jobs${path.replace('ID', String(id))}`
        for (const limit of ['0', '101', 'x'])
          expect(errorOf(await ask(gateway, `GET ${at}?limit=${limit}`))).to.deep.equal([
            400,
            'invalid_query',
            'query/limit',
          ])
        expect(errorOf(await ask(gateway, `GET ${at}?after=nobody`))).to.deep.equal([
          400,
          'invalid_cursor',
          'query/after',
        ])
      })
    }

    it('answer 404 not_found when none exists', async () => {
      const id = `gwftjob-${'0'.repeat(32)}`
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/cancel'],
        ['GET', '/events'],
        ['GET', '/checkpoints'],
      ] as const)
        expect(
          errorOf(await ask(gateway, `${method} /v1/fine_tuning/jobs/${id}${path}`)),
          path,
        ).to.deep.equal([404, 'not_found', 'path/fine_tuning_job_id'])
    })

    it('are recorded in the audit log on creation and cancellation', async () => {
      const { id } = await job()
      await ask(gateway, `POST /v1/fine_tuning/jobs/${id}/cancel`)
      const { body } = await ask(gateway, 'GET /v1/audit-logs?resource_type=fine_tuning_job&page_size=2')
      expect((body.data as Json[]).map(({ action }) => action)).to.deep.equal(['cancel', 'create'])
    })
  })
})
