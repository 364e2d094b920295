/** Lists of thousands, which use indexes, answer like those in memory. */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft, DocumentFilter, DocumentOrder } from '@gateway/contract'
import { expect } from 'chai'
import { createMemoryDocuments } from '#store/memory/documents'
import type { Database } from '#store-sql/database'
import { createDocuments } from '#store-sql/documents'
import { upgrade } from '#store-sql/upgrade'
import { forEachEngine } from './engines.ts'

const count = 5000
const kind = 'api_key'

const documents: DocumentDraft[] = Array.from({ length: count }, (_, index) => ({
  kind,
  id: randomUUID(),
  organisation_id: index % 11 === 0 ? null : 'org',
  workspace_id: ['default', 'default', 'other', null][index % 4] ?? null,
  slug: `slug-${index}`,
  name: index % 13 === 0 ? null : `${['Ärger', 'beta', 'Alpha'][index % 3]} ${(index * 7919) % count}`,
  status: index % 10 === 0 ? 'archived' : 'active',
  // Ties, which are ordered by id.
  created_at: 1000 + Math.floor(index / 3),
  last_updated_at: 9000 - (index % 100),
  keys: [`slug:${index}`],
  attributes: { parity: [String(index % 2)], user: [`u${index % 400}`], all: ['yes', 'also'] },
  data: { index },
}))

const filters: DocumentFilter[] = [
  {},
  { statuses: ['active'] },
  { statuses: ['archived'], organisation_id: 'org' },
  { workspace_ids: ['default'], statuses: ['active'] },
  { workspace_ids: ['default', 'other'] },
  { workspace_ids: ['other', null], organisation_id: 'org' },
  { workspace_ids: ['other'] },
  { organisation_id: null },
  { search: 'BETA' },
  { search: 'slug-77' },
  { search: 'a', workspace_ids: ['default'] },
  { attributes: { parity: ['1'] } },
  { attributes: { all: ['yes', 'also'] }, statuses: ['active'] },
  { attributes: { all: ['yes'], parity: ['0'] }, workspace_ids: ['default', null] },
  { attributes: { user: ['u7', 'u8'] } },
  { attributes: { user: ['u7'], parity: ['1'] }, search: 'alpha' },
  { created_from: 1200 },
  { created_from: 1200, created_to: 1300, attributes: { all: ['also'] } },
  { ids: documents.slice(100, 200).map(({ id }) => id), statuses: ['active'] },
]

const orders: DocumentOrder[] = (['created_at', 'last_updated_at', 'name', 'id'] as const).flatMap((sort) =>
  (['asc', 'desc'] as const).map((order) => ({ sort, order })),
)

forEachEngine('lists', (open) => {
  const memory = createMemoryDocuments()
  const writes = documents.map((document) => ({ op: 'put' as const, document }))
  before(() => memory.commit(writes))

  async function openFilled(): Promise<Database> {
    const [database] = await open()
    await upgrade(database)
    await createDocuments(database).commit(writes)
    return database
  }

  it('of thousands of documents equal those of the memory store, for any filter, order and page', async () => {
    const sql = createDocuments(await openFilled())
    for (const filter of filters) {
      for (const [index, order] of orders.entries()) {
        const offset = [0, 3, 1000, 2400, 4990][(index + filters.indexOf(filter)) % 5] ?? 0
        const page = { offset, limit: 20 }
        const found = await sql.list(kind, filter, { ...order, ...page })
        const expected = await memory.list(kind, filter, { ...order, ...page })
        const what = JSON.stringify({ filter, order, page }).slice(0, 300)
        expect(found.total, what).to.equal(expected.total)
        expect(
          found.documents.map(({ id }) => id),
          what,
        ).to.deep.equal(expected.documents.map(({ id }) => id))
      }
    }
  })
})
