/** The log entry of a failed query: codes and names of the database, never a value. */
import { faultReason } from '@gateway/contract'
import { expect } from 'chai'
import { type RawBuilder, sql } from 'kysely'
import { toStoreError } from '#store-sql/guard'
import { upgrade } from '#store-sql/upgrade'
import { forEachEngine } from './engines.ts'

const value = 'sk-a-value-that-no-log-may-have'

forEachEngine('the reason of a fault', (open) => {
  async function reasonsOf(...queries: RawBuilder<unknown>[]): Promise<string> {
    const [database] = await open()
    await upgrade(database)
    try {
      await database.write(async (connection) => {
        for (const query of queries) await query.execute(connection)
      })
      return expect.fail('The query did not fail.')
    } catch (error) {
      return faultReason(toStoreError(error))
    }
  }
  const key = sql`insert into document_keys (kind, key, id) values ('config', ${value}, ${value})`

  it('names the constraint', async () => {
    const reason = await reasonsOf(key, key)
    expect(reason).to.match(/\((SQLITE_CONSTRAINT_PRIMARYKEY|23505): .*document_keys/)
    expect(reason).not.to.include(value)
  })

  it('names a missing column, as in a migration that fails', async () => {
    const reason = await reasonsOf(sql`select absent from documents where id = ${value}`)
    expect(reason).to.match(/\((SQLITE_ERROR|42703): .*absent/)
    expect(reason).not.to.include(value)
  })

  it('does not quote a value that the database cannot convert', async () => {
    const [database] = await open()
    const query =
      database.engine === 'sqlite'
        ? sql`select json_extract('{}', ${value})`
        : sql`select ${value}::text::integer`
    expect(await reasonsOf(query)).to.match(/^The store rejected a query\. \((SQLITE_ERROR|22P02)\)$/)
  })
})
