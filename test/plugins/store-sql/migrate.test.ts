/** Migrations: forwards from every version with its data; once, by any number of processes; never backwards. */
import { randomUUID } from 'node:crypto'
import { isGatewayError } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import { expect } from 'chai'
import { sql } from 'kysely'
import type { Database } from '#store-sql/database'
import { createDocuments } from '#store-sql/documents'
import { createLog } from '#store-sql/log/log'
import { packEntries } from '#store-sql/log/packed-entries'
import { idBytes } from '#store-sql/log/packed-texts'
import { createDay } from '#store-sql/log/partitions'
import { migrate } from '#store-sql/migrate'
import { migrations } from '#store-sql/migrations/index'
import { upgrade } from '#store-sql/upgrade'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { forEachEngine } from './engines.ts'

const newest = Math.max(...migrations.map(({ version }) => version))
const ids = Array.from({ length: 5 }, () => randomUUID()).sort()

/** Written by that version's own statements, not by today's. */
async function fill({ write }: Database, version: number): Promise<void> {
  const place = { organisation_id: 'org', workspace_id: 'ws' }
  await write(async (queries) => {
    for (const [index, id] of ids.entries()) {
      const document = { ...place, kind: 'config', id, status: index === 0 ? 'archived' : 'active' }
      await queries
        .insertInto('documents')
        .values({
          ...document,
          slug: `slug-${index}`,
          name: `Name ${index}`,
          version: 3,
          created_at: index,
          last_updated_at: index,
          search_text: `name ${index}\nslug-${index}`,
          name_order: `name ${index}`,
          keys: `["slug:ws/slug-${index}"]`,
          attributes: '{"of":["a"]}',
          data: `{"index":${index}}`,
        })
        .execute()
      await queries
        .insertInto('document_keys')
        .values({ kind: 'config', key: `slug:ws/slug-${index}`, id })
        .execute()
      await queries
        .insertInto('document_attributes')
        .values({ ...document, name: 'of', value: 'a' })
        .execute()
    }
    if (version < 2) return
    const fields = '{"trace_id":"t","ai_model":"m","cost":0.5,"response_status_code":200}'
    if (version >= 8) return
    await sql`insert into log_entries (id, created_at, organisation_id, workspace_id, fields, data)
      values ('entry', 5, 'org', 'ws', ${fields}, '{"body":1}')`.execute(queries)
  })
}

forEachEngine('migrations', (open) => {
  for (let version = 1; version < newest; version += 1) {
    it(`migrate a store filled at version ${version} with all its data`, async () => {
      const [database] = await open()
      const older = migrations.filter((migration) => migration.version <= version)
      expect(await migrate(database, older)).to.deep.equal(older.map((migration) => migration.version))
      await fill(database, version)
      const missing = migrations.filter((migration) => migration.version > version)
      expect(await upgrade(database)).to.deep.equal(missing.map((migration) => migration.version))

      const documents = createDocuments(database)
      const found = await documents.findByKey('config', 'slug:ws/slug-2')
      expect(found).to.include({ id: ids[2], name: 'Name 2', version: 3, status: 'active' })
      expect(found?.data).to.deep.equal({ index: 2 })
      const page = { offset: 0, limit: 2 }
      const listed = await documents.list('config', { statuses: ['active'], workspace_ids: ['ws'] }, page)
      expect([listed.total, listed.documents.map(({ id }) => id)]).to.deep.equal([4, [ids[4], ids[3]]])
      expect((await documents.list('config', { attributes: { of: ['a'] } }, page)).total).to.equal(5)
      const { version: _, ...draft } = found ?? (await documents.scan(null, null, 1))[0] ?? expect.fail()
      expect((await documents.commit([{ op: 'put', document: draft, expected: 3 }]))[0]?.version).to.equal(4)
      const { log } = createLog(database)
      const entries = await log.list({ organisation_id: 'org', fields: { ai_model: ['m'] } }, { limit: 10 })
      expect(
        entries.map(({ created_at, fields }) => [created_at, fields.trace_id, fields.cost]),
      ).to.deep.equal(version < 2 || version > 7 ? [] : [[5, 't', 0.5]])
      const [entry] = await log.read(entries.map(({ id }) => id))
      if (entry !== undefined) expect(entry.details).to.deep.equal({ body: 1 })
    })
  }

  it('report how many entries they have moved', async () => {
    const [database] = await open()
    await migrate(
      database,
      migrations.filter(({ version }) => version < 8),
    )
    await database.write(async (queries) => {
      for (let index = 0; index < 1100; index += 1)
        await sql`insert into log_entries (id, created_at, organisation_id, workspace_id, fields, data)
          values (${`entry ${index}`}, 5, 'org', 'ws', '{}', '{}')`.execute(queries)
    })
    const reports: [title: string, done: number, total: number][] = []
    await migrate(database, migrations, { progress: (...report) => reports.push(report) })
    expect(reports).to.deep.equal([
      ['Migrating the store to version 8', 500, 1100],
      ['Migrating the store to version 8', 1000, 1100],
      ['Migrating the store to version 8', 1100, 1100],
      ...(database.engine === 'sqlite' ? [['Migrating the store to version 11', 1100, 1100]] : []),
    ])
  })

  it('keep traces of entries and feedback that were stored as text', async () => {
    const [database] = await open()
    await migrate(
      database,
      migrations.filter(({ version }) => version < 11),
    )
    const at = Date.UTC(2026, 0, 2)
    const [own, other, none] = [timeOrderedId(at), timeOrderedId(at + 1), timeOrderedId(at + 2)]
    const uuid = randomUUID()
    const rows: [id: string, trace: string | null, span: string | null][] = [
      [own, own, null],
      [other, uuid, 'a span'],
      [none, null, randomUUID()],
    ]
    const isSqlite = database.engine === 'sqlite'
    await database.write(async (queries) => {
      if (!isSqlite) await createDay(queries, Math.floor(at / 86_400_000))
      await sql`insert into log_names (name) values ('org'), ('ws')`.execute(queries)
      for (const [index, [id, trace, span]] of rows.entries()) {
        const key = isSqlite ? sql`${idBytes(id)}` : sql`${id}::uuid`
        await sql`insert into log_facts (id, created_at, organisation_id, workspace_id, trace_id, span_id, latency_bin)
          values (${key}, ${at + index}, 1, 2, ${trace}, ${span}, 0)`.execute(queries)
        await sql`insert into log_contents (id, created_at, details)
          values (${key}, ${at + index}, ${index === 0 ? '{}' : '{"kept":true}'})`.execute(queries)
      }
      for (const [index, trace] of [own, uuid].entries())
        await sql`insert into log_feedback (id, created_at, last_updated_at, organisation_id, workspace_id, trace_id,
          value, weight, metadata, source) values (${`f${index}`}, ${at}, ${at}, 1, 2, ${trace}, ${index + 1}, 1, '{}', 'api')`.execute(
          queries,
        )
    })
    await upgrade(database)
    const { log, feedback } = createLog(database)
    const filter = { organisation_id: 'org', workspace_ids: ['ws'] }
    const listed = await log.list(filter, { limit: 10, order: 'asc' })
    expect(listed.map(({ id, fields }) => [id, fields.trace_id, fields.span_id])).to.deep.equal(rows)
    for (const trace of [own, uuid])
      expect(await log.count({ ...filter, fields: { trace_id: [trace] } }), trace).to.equal(1)
    expect((await log.read(rows.map(([id]) => id))).map(({ details }) => details)).to.deep.equal([
      {},
      { kept: true },
      { kept: true },
    ])
    const [sum] = await feedback.aggregate(filter, { by: null })
    expect(sum).to.include({ total: 2, weighted: 3 })
    const given = await feedback.list(filter, { offset: 0, limit: 10 })
    expect(given.map(({ trace_id }) => trace_id).sort()).to.deep.equal([own, uuid].sort())
  })

  it('are applied once by two processes that start at the same time', async () => {
    const [one, other] = await open()
    // SQLite's are made one after another: both are in this thread.
    const applied =
      one.engine === 'sqlite'
        ? [await migrate(one, migrations), await migrate(other, migrations)]
        : await Promise.all([migrate(one, migrations), migrate(other, migrations)])
    expect(applied.flat().sort((left, right) => left - right)).to.deep.equal(
      migrations.map(({ version }) => version),
    )
    expect(await migrate(one, migrations)).to.deep.equal([])
  })

  it('are rolled back when one of them fails, and all run the next time', async () => {
    const [database] = await open()
    const [first, second, ...rest] = migrations
    if (first === undefined || second === undefined) return expect.fail()
    const broken = {
      ...second,
      async up(...given: Parameters<typeof second.up>) {
        await second.up(...given)
        throw new Error('The disk is full.')
      },
    }
    const fault = await migrate(database, [first, broken, ...rest]).then(() => null, String)
    expect(fault).to.include('disk is full')
    expect(await migrate(database, migrations)).to.deep.equal(migrations.map(({ version }) => version))
  })

  it('are followed by the columns that the log has got since, once, by any number of processes', async () => {
    const [one, other] = await open()
    await migrate(one, migrations)
    if (one.engine === 'sqlite') {
      await upgrade(one)
      await upgrade(other)
    } else await Promise.all([upgrade(one), upgrade(other)])
    const { log } = createLog(other)
    const entry = { ...entryAt(Date.UTC(2026, 0, 2)), fields: { error_code: 'rate_limited' } }
    await log.appendPacked(packEntries([entry]), true)
    const found = await log.list(
      { organisation_id: 'organisation', fields: { error_code: ['rate_limited'] } },
      { limit: 10 },
    )
    expect(found.map(({ id }) => id)).to.deep.equal([entry.id])
    expect(await migrate(one, migrations), 'an earlier version still opens the store').to.deep.equal([])
  })

  it('refuse a store written by a newer program, and leave it unchanged', async () => {
    const [database] = await open()
    await migrate(database, migrations)
    await database.write((queries) =>
      queries
        .insertInto('schema_migrations')
        .values({ version: newest + 1, name: 'of tomorrow', applied_at: 0 })
        .execute(),
    )
    const fault: unknown = await migrate(database, migrations).then(
      () => null,
      (error: unknown) => error,
    )
    expect(isGatewayError(fault) && [fault.code, fault.message]).to.deep.equal([
      'invalid_config',
      `The database has schema version ${newest + 1}, but this program supports versions up to ${newest}. A newer version of the gateway has written it: start that version, or use another database.`,
    ])
  })
})
