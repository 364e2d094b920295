/** `gateway export` and `gateway import`: from SQLite to Postgres and back without loss, completely or not at all. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocumentDraft, isGatewayError, type Ports, type Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { checkLines } from '#core/cli/transfer/check-lines'
import { readLines } from '#core/cli/transfer/read-lines'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { isClickHouseInstalled, startClickHouse } from '../../support/clickhouse.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { itEmbedded } from '../../support/servers.ts'
import { terminal } from './support.ts'

const masterKey = randomBytes(32)
const sealer = createSealer(masterKey)
const nowMs = Date.now()
const dayMs = 86_400_000
const kindOf = (index: number) => ['config', 'integration', 'api_key'][index % 3] ?? ''
const ids = new Map<number, string>()
const idOf = (index: number) => ids.get(index) ?? ids.set(index, randomUUID()).get(index) ?? ''

const documents: DocumentDraft[] = Array.from({ length: 1200 }, (_, index) => ({
  kind: kindOf(index),
  id: idOf(index),
  organisation_id: 'org',
  workspace_id: index % 2 === 0 ? 'ws' : null,
  slug: `slug-${index}`,
  name: `Name\u2028 ${index} 名前`,
  status: index % 10 === 0 ? 'archived' : 'active',
  created_at: nowMs - index,
  last_updated_at: nowMs,
  keys: [`slug:${index}`],
  attributes: { of: ['a', 'b'] },
  data:
    index % 3 === 1
      ? { key: { sealed: [sealer.seal('sk-secret', `${kindOf(index)}/${idOf(index)}`)] } }
      : { text: 'line\nbreak\u0000' },
}))

async function* blobOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function fill({ documents: port, counters, log, blobs }: Ports): Promise<void> {
  await port.commit(documents.map((document) => ({ op: 'put', document })))
  await port.commit(documents.slice(0, 10).map((document) => ({ op: 'put', document })))
  await counters.seed([
    { key: 'budget/a', used: 1.25 },
    { key: 'budget/b', used: 1_000_000 },
  ])
  const bucket = Math.floor(nowMs / dayMs)
  await counters.seedWindows([
    ...Array.from({ length: 1100 }, (_, index) => ({
      key: `rate/${index}`,
      use: { lengthMs: dayMs, bucket, current: index / 4, previous: 1 },
    })),
    { key: 'rate/ended', use: { lengthMs: dayMs, bucket: bucket - 2, current: 5, previous: 5 } },
  ])
  await log.append(
    Array.from({ length: 700 }, (_, index) =>
      entryAt(nowMs - Math.floor(index / 4), {
        fields: { ai_model: 'm', cost: index / 3, response_status_code: 200 },
        metadata: { team: 'a' },
        details: { attempts: [{ path: 'ä\u2029' }] },
        bodies: { request: '{"a":1}', response: null, transformed_request: null, original_response: '"x"' },
      }),
    ),
  )
  // An hour of entries from half past: they are in two hours at any time of the test.
  const hourMs = dayMs / 24
  const oldMs = Math.floor((nowMs - 40 * dayMs) / hourMs) * hourMs + hourMs / 2
  await log.append(
    Array.from({ length: 60 }, (_, index) =>
      entryAt(oldMs + index * 60_000, {
        organisation_id: `org-${index % 2}`,
        fields: {
          ai_model: index % 3 === 0 ? null : `m${index % 3}`,
          response_status_code: index % 5 === 0 ? 429 : 200,
          response_time: index * 7,
          cost: index,
          cache_status: 'MISS',
        },
      }),
    ),
  )
  while ((await log.prune(nowMs - 30 * dayMs, 25)) > 0);
  await log.feedback.put(
    Array.from({ length: 3 }, (_, index) => ({
      id: idOf(10_000 + index),
      created_at: nowMs - index,
      last_updated_at: nowMs,
      organisation_id: 'org',
      workspace_id: 'ws',
      trace_id: `trace-${index}`,
      value: index - 1,
      weight: 0.25,
      metadata: { why: { deep: 'ä' } },
      source: 'api' as const,
      api_key_id: null,
      user_id: index === 0 ? 'ann' : null,
    })),
  )
  await blobs.put('exports/empty', blobOf(Buffer.alloc(0)), 1)
  await blobs.put('exports/large', blobOf(randomBytes(700_000)), 2)
}

describe('gateway export and import', () => {
  let directory: string
  let files: number
  let filledUrl: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-transfer-'))
    files = 0
    await writeFile(join(directory, 'gateway.yaml'), '{}\n')
    filledUrl = await exportFilled()
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const sqliteUrl = () => {
    files += 1
    return `sqlite:${join(directory, `store-${files}.db`)}`
  }
  /** @param url the URL of the store, or of the store and the log */
  async function gateway(urls: string | { store: string; logs: string }, words: string[], key = masterKey) {
    const url = typeof urls === 'string' ? urls : urls.store
    const environment = {
      ...(typeof urls === 'string' ? {} : { GATEWAY_LOGS_URL: urls.logs }),
      GATEWAY_DATA_DIR: directory,
      GATEWAY_STORE_URL: url,
      GATEWAY_ENCRYPTION_KEY: key.toString('base64'),
    }
    const recording = terminal({ environment, directory })
    const code = await main([...words, '--config', 'gateway.yaml'], recording)
    return { code, output: recording.output, errors: recording.errors }
  }
  async function within<T>(url: string, work: (ports: Ports) => Promise<T>): Promise<T> {
    const store = (await sqlStore.open(url, { directory, report: () => undefined })) as Store & Ports
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  /** Everything except the header, which contains a time, and the checksum over it. */
  async function contentOf(name: string): Promise<unknown[]> {
    const lines = (await readFile(join(directory, name), 'utf8')).split('\n').slice(1, -2)
    return lines.map((line): unknown => JSON.parse(line))
  }
  async function exportFilled(): Promise<string> {
    const url = sqliteUrl()
    await within(url, fill)
    const done = await gateway(url, ['export', 'one.jsonl'])
    expect(done).to.include({ code: 0, errors: '' })
    expect(done.output).to.include(
      '1200 documents, 2 budgets, 1100 rate windows, 700 log entries, 3 feedback, 2 hours of aggregates, 2 files',
    )
    return url
  }

  async function passThrough(middle: string | { store: string; logs: string }): Promise<void> {
    const back = sqliteUrl()
    const [there, again] = [`there-${files}.jsonl`, `again-${files}.jsonl`]
    expect(await gateway(middle, ['import', 'one.jsonl'])).to.include({ code: 0, errors: '' })
    expect((await gateway(middle, ['export', there])).code).to.equal(0)
    expect((await gateway(back, ['import', there])).code).to.equal(0)
    expect((await gateway(back, ['export', again])).code).to.equal(0)
    const first = await contentOf('one.jsonl')
    expect(await contentOf(there)).to.deep.equal(first)
    expect(await contentOf(again)).to.deep.equal(first)
    await within(back, async (ports) => {
      const [twice, once] = documents.slice(9, 11)
      expect((await ports.documents.get(twice?.kind ?? '', twice?.id ?? ''))?.version).to.equal(2)
      expect(await ports.documents.findByKey(once?.kind ?? '', 'slug:10')).to.deep.equal({
        ...once,
        version: 1,
      })
      const day = { lengthMs: dayMs, offsetMs: 0 }
      const counted = [
        { key: 'budget/a', window: null },
        { key: 'rate/9', window: day },
        { key: 'rate/ended', window: day },
      ]
      // The end of the day, when the usage of the previous day no longer counts.
      const endOfDay = (Math.floor(nowMs / dayMs) + 1) * dayMs - 1
      expect((await ports.counters.read(counted, endOfDay)).map(({ used }) => used)).to.deep.equal([
        1.25, 3.25, 0,
      ])
    })
  }

  itEmbedded('transfer everything from SQLite to SQLite and back', () => passThrough(sqliteUrl()))

  if (isPostgresInstalled()) {
    describe('with Postgres', () => {
      let server: PostgresServer
      before(async () => {
        server = await startPostgres()
      })
      after(() => server.close())
      it('transfer everything from SQLite to Postgres and back', async () =>
        passThrough(await server.createDatabase()))
    })
  } else {
    console.log(
      'left out: an export to Postgres, because its server is not installed here, or may not be run',
    )
  }

  if (isClickHouseInstalled()) {
    it('transfer a log from SQLite to ClickHouse and back', async () => {
      const server = await startClickHouse()
      try {
        await passThrough({ store: sqliteUrl(), logs: server.createDatabase() })
      } finally {
        await server.close()
      }
    })
  } else {
    console.log('left out: an export to ClickHouse, because the package chdb is not installed here')
  }

  itEmbedded('write a file that only its owner can read, without any secret in plain text', async () => {
    expect((await stat(join(directory, 'one.jsonl'))).mode & 0o077).to.equal(0)
    expect(await readFile(join(directory, 'one.jsonl'), 'utf8'))
      .to.include('sealed:2:')
      .and.not.include('sk-secret')
  })

  itEmbedded('do not overwrite an existing file', async () => {
    await writeFile(join(directory, 'mine.jsonl'), 'mine')
    expect((await gateway(sqliteUrl(), ['export', 'mine.jsonl'])).code).to.equal(1)
    expect(await readFile(join(directory, 'mine.jsonl'), 'utf8')).to.equal('mine')
  })

  itEmbedded('refuse a store that is not empty, except with the option to merge', async () => {
    const url = filledUrl
    const refused = await gateway(url, ['import', 'one.jsonl'])
    expect(refused.code).to.equal(1)
    expect(refused.errors).to.include('--merge')
    expect((await gateway(url, ['import', 'one.jsonl', '--merge'])).code).to.equal(0)
    expect((await gateway(url, ['export', 'merged.jsonl'])).code).to.equal(0)
    expect(await contentOf('merged.jsonl')).to.deep.equal(await contentOf('one.jsonl'))
  })

  itEmbedded('refuse secrets sealed with another encryption key', async () => {
    const refused = await gateway(sqliteUrl(), ['import', 'one.jsonl'], randomBytes(32))
    expect(refused.code).to.equal(1)
    expect(refused.errors).to.include('GATEWAY_ENCRYPTION_KEY')
  })

  const damages: [what: string, damage: (lines: string[]) => string[], says: string][] = [
    ['was cut off', (lines) => lines.slice(0, -2), 'truncated'],
    ['lacks a line', (lines) => lines.toSpliced(5, 1), 'checksum'],
    ['was changed', (lines) => lines.with(7, (lines[7] ?? '').replace('Name', 'Same')), 'checksum'],
    ['is not JSON', (lines) => lines.with(3, '{'), 'line 4 is not JSON'],
    ['is something else', () => ['{"type":"document"}', ''], 'not a gateway export'],
    [
      'is of a newer program',
      (lines) => lines.with(0, '{"type":"header","format":"gateway-export","version":6}'),
      'newer',
    ],
    ['continues after its end', (lines) => [...lines.slice(0, -1), '{"type":"log"}', ''], 'after the end'],
  ]
  itEmbedded('refuse a damaged file, and say what is wrong with it', async () => {
    const lines = (await readFile(join(directory, 'one.jsonl'), 'utf8')).split('\n')
    const sealer = createSealer(masterKey)
    for (const [what, damage, says] of damages) {
      const path = join(directory, 'damaged.jsonl')
      await writeFile(path, damage(lines).join('\n'))
      const fault: unknown = await checkLines(readLines(path), sealer).then(
        () => null,
        (error: unknown) => error,
      )
      expect(isGatewayError(fault) && fault.code, what).to.equal('invalid_file')
      expect(String(fault), what).to.include(says)
    }
  })

  itEmbedded(
    'import a file of an earlier version, which has no windows, feedback and aggregates',
    async () => {
      const lines = (await readFile(join(directory, 'one.jsonl'), 'utf8')).split('\n').slice(1, -2)
      const header =
        '{"type":"header","format":"gateway-export","version":2,"created_at":"2026-01-01T00:00:00.000Z"}'
      const kept = [header, ...lines.filter((line) => !/^{"type":"(window|feedback|aggregates)"/.test(line))]
      const sha256 = createHash('sha256')
        .update(`${kept.join('\n')}\n`)
        .digest('hex')
      const counts = { documents: 1200, budgets: 2, log: 700, blobs: 2 }
      await writeFile(
        join(directory, 'earlier.jsonl'),
        `${[...kept, JSON.stringify({ type: 'end', counts, sha256 })].join('\n')}\n`,
      )
      expect(await gateway(sqliteUrl(), ['import', 'earlier.jsonl'])).to.include({ code: 0, errors: '' })
    },
  )

  itEmbedded('fail with the reason for a damaged file', async () => {
    await writeFile(
      join(directory, 'damaged.jsonl'),
      '{"type":"header","format":"gateway-export","version":1}\n',
    )
    const url = sqliteUrl()
    const refused = await gateway(url, ['import', 'damaged.jsonl'])
    expect(refused.code).to.equal(1)
    expect(refused.errors).to.include('truncated')
  })

  for (const words of [['export'], ['import'], ['import', 'a', 'b']]) {
    it(`print their usage for: gateway ${words.join(' ')}`, async () => {
      expect((await gateway(sqliteUrl(), words)).code).to.equal(2)
    })
  }
})
