/** Two migrations were changed in early versions. Stores written with their first forms open with all data. */
import { timeOrderedId } from '@gateway/domain'
import { expect } from 'chai'
import { sql } from 'kysely'
import { createLog } from '#store-sql/log/log'
import { createDay } from '#store-sql/log/partitions'
import { type Migration, migrate, typesOf } from '#store-sql/migrate'
import { migrations } from '#store-sql/migrations/index'
import { upgrade } from '#store-sql/upgrade'
import { forEachEngine } from './engines.ts'

/** Version 2 as it was first published. */
const firstLog: Migration = {
  version: 2,
  name: 'log',
  part: 'log',
  async up(queries, engine) {
    const { text, json } = typesOf(engine)
    const statements = [
      sql`create table log_entries (
        id ${text} primary key, created_at bigint not null, organisation_id ${text} not null,
        workspace_id ${text}, fields ${json} not null)`,
      sql`create index log_entries_created on log_entries (created_at, id)`,
      sql`create index log_entries_organisation on log_entries (organisation_id, created_at, id)`,
      sql`create index log_entries_workspace on log_entries (workspace_id, created_at, id)`,
      sql`create table log_data (id ${text} primary key, data ${text} not null)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}

/** Version 11 as it was first published, which changed nothing on Postgres. */
const firstTraces: Migration = { version: 11, name: 'packed traces', part: 'log', up: async () => undefined }

const instead = (first: Migration) => (migration: Migration) =>
  migration.version === first.version ? first : migration

forEachEngine('the first forms of migrations', (open) => {
  for (const version of [2, 7]) {
    it(`a log of version ${version} whose bodies are in a second table opens with its entries`, async () => {
      const [database] = await open()
      await migrate(
        database,
        migrations.filter((migration) => migration.version <= version).map(instead(firstLog)),
      )
      await database.write(async (queries) => {
        await sql`insert into log_entries (id, created_at, organisation_id, workspace_id, fields)
          values ('a', 5, 'org', 'ws', '{"ai_model":"m","cost":0.5}'), ('b', 6, 'org', 'ws', '{}')`.execute(
          queries,
        )
        await sql`insert into log_data (id, data) values ('a', '{"body":1}')`.execute(queries)
      })
      await upgrade(database)
      const { log } = createLog(database)
      const listed = await log.list({ organisation_id: 'org' }, { limit: 10, order: 'asc' })
      expect(listed.map(({ created_at, fields }) => [created_at, fields.cost])).to.deep.equal([
        [5, 0.5],
        [6, null],
      ])
      const details = (await log.read(listed.map(({ id }) => id))).map((entry) => entry.details)
      expect(details).to.deep.equal([{ body: 1 }, {}])
    })
  }

  it('entries without a trace, written before traces could be null, stay without one', async function () {
    const [database] = await open()
    if (database.engine === 'sqlite') return this.skip()
    await migrate(database, migrations.filter(({ version }) => version < 12).map(instead(firstTraces)))
    const at = Date.UTC(2026, 0, 2)
    const [none, own] = [timeOrderedId(at), timeOrderedId(at + 1)]
    await database.write(async (queries) => {
      await createDay(queries, Math.floor(at / 86_400_000))
      await sql`insert into log_names (name) values ('org'), ('ws')`.execute(queries)
      for (const [index, [id, trace]] of [
        [none, null],
        [own, own],
      ].entries())
        await sql`insert into log_facts (id, created_at, organisation_id, workspace_id, trace_id, latency_bin)
          values (${id}::uuid, ${at + index}, 1, 2, ${trace}, 0)`.execute(queries)
    })
    await upgrade(database)
    const { log } = createLog(database)
    const filter = { organisation_id: 'org', workspace_ids: ['ws'] }
    const listed = await log.list(filter, { limit: 10, order: 'asc' })
    expect(listed.map(({ fields }) => fields.trace_id)).to.deep.equal([null, own])
    expect(await log.count({ ...filter, fields: { trace_id: [none] } })).to.equal(0)
  })
})
