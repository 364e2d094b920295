/** Files stored by the gateway: uploaded, listed, read and deleted, within their workspace and its limits. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { turnUntil } from '../../support/clock.ts'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'
import { until } from '../../support/until.ts'
import { ask, auth, download, formOf, type Json, upload } from './fixtures.ts'

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`
const lines = '{"custom_id":"1"}\n'

describe('files stored by the gateway', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({
      files: { max_bytes: 300_000, max_total_bytes: 900_000 },
      workspaces: { other: { name: 'Other' }, full: { name: 'Full' }, lists: { name: 'Lists' } },
      api_keys: [
        ...['other', 'full', 'lists'].map((workspace) => ({
          name: workspace,
          key_hash: hashOf(`${workspace}-key`),
          scopes: ['completions.write'],
          workspace,
        })),
        { name: 'reader', key_hash: hashOf('reader-key'), scopes: ['models.list'] },
      ],
    })
  })
  after(() => gateway.stop())

  const as = (name: string) => ({ 'x-gateway-api-key': `${name}-key` })
  const errorOf = ({ status, body }: { status: number; body: Json }) => {
    const { code, param } = body.error as Json
    return [status, code, param]
  }

  it('are uploaded as a form, and returned in the specified format', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { status, body } = await upload(gateway, lines, { name: 'lines.jsonl' })
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      object: 'file',
      bytes: lines.length,
      filename: 'lines.jsonl',
      purpose: 'batch',
      status: 'processed',
      status_details: null,
      expires_at: null,
    })
    expect(body.id).to.match(/^gwfile-[0-9a-f]{32}$/)
    expect(body.created_at).to.be.within(before, before + 10)
    expect((await ask(gateway, `GET /v1/files/${body.id}`)).body).to.deep.equal(body)
  })

  for (const isFileFirst of [true, false]) {
    it(`are accepted with the purpose ${isFileFirst ? 'after' : 'before'} the file`, async () => {
      const { status, body } = await upload(gateway, 'text', { purpose: 'assistants', isFileFirst })
      expect([status, body.purpose]).to.deep.equal([200, 'assistants'])
    })
  }

  it('are downloaded unchanged', async () => {
    const sent = Buffer.alloc(200_000, 'all bytes of \0 a file \r\n--x')
    const { body } = await upload(gateway, sent, { purpose: 'vision', name: 'né "a".bin' })
    const answer = await fetch(`${gateway.url}/v1/files/${body.id}/content`, { headers: auth })
    expect(Buffer.from(await answer.arrayBuffer()).equals(sent)).to.equal(true)
    expect(answer.headers.get('content-length')).to.equal('200000')
    expect(answer.headers.get('content-disposition')).to.equal(
      `attachment; filename="n_ _a_.bin"; filename*=UTF-8''n%C3%A9%20%22a%22.bin`,
    )
  })

  it('can be empty', async () => {
    const { status, body } = await upload(gateway, '')
    expect([status, body.bytes]).to.deep.equal([200, 0])
    expect(await download(gateway, `/v1/files/${body.id}/content`)).to.include({ status: 200, text: '' })
  })

  it('are deleted together with their bytes', async () => {
    const { body } = await upload(gateway, lines)
    const gone = await ask(gateway, `DELETE /v1/files/${body.id}`)
    expect([gone.status, gone.body]).to.deep.equal([200, { id: body.id, object: 'file', deleted: true }])
    for (const [method, path] of [
      ['GET', `/v1/files/${body.id}`],
      ['GET', `/v1/files/${body.id}/content`],
      ['DELETE', `/v1/files/${body.id}`],
    ] as const)
      expect(errorOf(await ask(gateway, `${method} ${path}`))).to.deep.equal([
        404,
        'not_found',
        'path/file_id',
      ])
  })

  it('are deleted also when their expiry is set at the same time', async () => {
    const { body } = await upload(gateway, lines)
    const { documents } = gateway.runtime.store
    const { commit } = documents
    documents.commit = async (writes) => {
      documents.commit = commit
      const removed = writes.find((write) => write.op === 'remove' && write.kind === 'file')
      const file = removed?.op === 'remove' ? await documents.get('file', removed.id) : null
      expect(file).to.not.equal(null)
      if (file !== null) await documents.commit([{ op: 'put', document: file, expected: file.version }])
      return documents.commit(writes)
    }
    const gone = await ask(gateway, `DELETE /v1/files/${body.id}`)
    expect([gone.status, gone.body.deleted]).to.deep.equal([200, true])
  })

  it('of another workspace appear not to exist', async () => {
    const { body } = await upload(gateway, lines, { headers: as('other') })
    for (const [method, path] of [
      ['GET', `/v1/files/${body.id}`],
      ['GET', `/v1/files/${body.id}/content`],
      ['DELETE', `/v1/files/${body.id}`],
    ] as const)
      expect(errorOf(await ask(gateway, `${method} ${path}`))).to.deep.equal([
        404,
        'not_found',
        'path/file_id',
      ])
    const listed = await ask(gateway, 'GET /v1/files', { headers: as('other') })
    expect(listed.body.data).to.deep.equal([body])
  })

  it('require the scope completions.write', async () => {
    const reply = await upload(gateway, lines, { headers: as('reader') })
    expect(errorOf(reply)).to.deep.equal([403, 'missing_scope', 'completions.write'])
  })

  const refused: [what: string, form: () => FormData, status: number, code: string, param: string][] = [
    ['without a file', () => formOf(null), 400, 'invalid_body', '/file'],
    ['without a purpose', () => formOf(lines, { purpose: null }), 400, 'invalid_body', '/purpose'],
    [
      'of an unknown purpose',
      () => formOf(lines, { purpose: 'batch_output' }),
      400,
      'invalid_body',
      '/purpose',
    ],
    [
      'with an unknown purpose after the file',
      () => formOf(lines, { purpose: 'x', isFileFirst: true }),
      400,
      'invalid_body',
      '/purpose',
    ],
    ['with an unknown field', () => formOf(lines, { fields: { colour: 'red' } }), 400, 'invalid_body', ''],
    [
      'with options after the file',
      () => formOf(lines, { fields: { gateway_options: '{}' }, isFileFirst: true }),
      400,
      'invalid_body',
      '/gateway_options',
    ],
    [
      'with options that are no object',
      () => formOf(lines, { fields: { gateway_options: '[' } }),
      400,
      'invalid_body',
      '/gateway_options',
    ],
    [
      'that expire too soon',
      () =>
        formOf(lines, { fields: { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '5' } }),
      400,
      'invalid_body',
      '/expires_after/seconds',
    ],
    [
      'that are too large',
      () => formOf('x'.repeat(300_001), { purpose: 'vision' }),
      413,
      'body_too_large',
      '/file',
    ],
  ]
  for (const [what, form, status, code, param] of refused) {
    it(`are refused ${what}, and nothing is stored`, async () => {
      const before = await gateway.runtime.store.documents.list('file', {}, { offset: 0, limit: 1 })
      const reply = await ask(gateway, 'POST /v1/files', { body: form() })
      expect(errorOf(reply)).to.deep.equal([status, code, param])
      const after = await gateway.runtime.store.documents.list('file', {}, { offset: 0, limit: 1 })
      expect(after.total).to.equal(before.total)
    })
  }

  it('are refused when the form contains two', async () => {
    const form = formOf(lines)
    form.append('file', new Blob(['more']), 'more.txt')
    expect(errorOf(await ask(gateway, 'POST /v1/files', { body: form }))).to.deep.equal([
      400,
      'invalid_body',
      '/file',
    ])
  })

  it('are refused in any other format than a form', async () => {
    const json = await ask(gateway, 'POST /v1/files', { body: { purpose: 'batch' } })
    expect(errorOf(json)).to.deep.equal([415, 'unsupported_media_type', 'header/content-type'])
  })

  it('are refused by their content-length before they are read', async () => {
    const reply = await askRaw(gateway.url, {
      method: 'POST',
      path: '/v1/files',
      headers: {
        ...auth,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': '9000000',
      },
      body: '--x',
    }).catch((error: unknown) => error as { status?: number })
    expect(reply.status).to.equal(413)
  })

  it('expire when the upload sets that', async () => {
    const { body } = await upload(gateway, lines, {
      fields: { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' },
    })
    expect(Number(body.expires_at) - Number(body.created_at)).to.equal(3600)
  })

  it('are limited in total per workspace, and deleting one frees space', async () => {
    const headers = as('full')
    const kept: Json[] = []
    for (let count = 0; count < 3; count += 1)
      kept.push((await upload(gateway, 'x'.repeat(290_000), { headers })).body)
    const more = () => upload(gateway, 'x'.repeat(100_000), { headers })
    expect(errorOf(await more())).to.deep.equal([413, 'body_too_large', '/file'])
    await ask(gateway, `DELETE /v1/files/${kept[0]?.id}`, { headers })
    expect((await more()).status).to.equal(200)
  })

  it('are listed newest first, with a filter by purpose, and page by page', async () => {
    const headers = as('lists')
    const ids: unknown[] = []
    for (let count = 0; count < 5; count += 1) {
      const purpose = count % 2 === 0 ? 'batch' : 'assistants'
      ids.unshift((await upload(gateway, String(count), { headers, purpose })).body.id)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const list = async (query: string) => (await ask(gateway, `GET /v1/files${query}`, { headers })).body
    const idsOf = (body: Json) => (body.data as Json[]).map(({ id }) => id)
    const all = await list('')
    expect(idsOf(all)).to.deep.equal(ids)
    expect(all).to.deep.include({ object: 'list', has_more: false, first_id: ids[0], last_id: ids[4] })
    expect(idsOf(await list('?purpose=assistants'))).to.deep.equal([ids[1], ids[3]])
    expect(idsOf(await list('?order=asc'))).to.deep.equal([...ids].reverse())
    const first = await list('?limit=2')
    expect([idsOf(first), first.has_more]).to.deep.equal([ids.slice(0, 2), true])
    const rest = await list(`?limit=3&after=${ids[1]}`)
    expect([idsOf(rest), rest.has_more]).to.deep.equal([ids.slice(2), false])
    expect(idsOf(await list(`?order=asc&after=${ids[2]}`))).to.deep.equal([ids[1], ids[0]])
    expect(await list(`?after=${ids[4]}`)).to.deep.include({ data: [], first_id: null, last_id: null })
  })

  const badQueries: [query: string, code: string, param: string][] = [
    ['limit=0', 'invalid_query', 'query/limit'],
    ['limit=10001', 'invalid_query', 'query/limit'],
    ['limit=x', 'invalid_query', 'query/limit'],
    ['order=up', 'invalid_query', 'query/order'],
    ['after=gwfile-00000000000000000000000000000000', 'invalid_cursor', 'query/after'],
    ['after=nothing', 'invalid_cursor', 'query/after'],
  ]
  for (const [query, code, param] of badQueries) {
    it(`are refused in a list with ?${query}`, async () => {
      expect(errorOf(await ask(gateway, `GET /v1/files?${query}`))).to.deep.equal([400, code, param])
    })
  }

  it('are listed regardless of unknown query parameters', async () => {
    expect((await ask(gateway, 'GET /v1/files?colour=red')).status).to.equal(200)
  })

  it('leave nothing behind when the caller disconnects during the upload', async () => {
    const { hostname, port } = new URL(gateway.url)
    const sent = request({
      hostname,
      port,
      method: 'POST',
      path: '/v1/files',
      headers: { ...auth, 'content-type': 'multipart/form-data; boundary=x' },
    })
    sent.on('error', () => undefined)
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
    sent.write(head + 'y'.repeat(100_000))
    await turnUntil(() => gateway.runtime.inFlight.count > 0, 'the request')
    await new Promise((resolve) => setTimeout(resolve, 50))
    sent.destroy()
    await turnUntil(() => gateway.runtime.inFlight.count === 0, 'the end of the request')
    const folder = join(dirname(gateway.configPath), 'files', 'unfinished')
    const left = async () => (await readdir(folder).catch(() => [])).length
    await until('nothing is left', async () => (await left()) === 0)
  })

  it('are recorded in the audit log on creation and deletion', async () => {
    const { body } = await upload(gateway, lines)
    await ask(gateway, `DELETE /v1/files/${body.id}`)
    const { body: log } = await ask(gateway, 'GET /v1/audit-logs?resource_type=file&page_size=2')
    expect((log.data as Json[]).map(({ action }) => action)).to.deep.equal(['delete', 'create'])
  })
})
