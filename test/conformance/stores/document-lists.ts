/** Lists of documents: filters, order and pages; and iterations over all documents. */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft, DocumentFilter, DocumentOrder, Documents } from '@gateway/contract'
import { expect } from 'chai'
import { draft } from './draft.ts'

/** Letters of the sorted names. The tables below refer to them by `name`. */
const given: Record<string, Partial<DocumentDraft>> = {
  a: {
    name: 'Alpha',
    slug: 'first',
    created_at: 1000,
    last_updated_at: 9000,
    attributes: { tag: ['x', 'y'] },
  },
  b: {
    name: 'beta',
    slug: 'SECOND',
    created_at: 2000,
    last_updated_at: 8000,
    attributes: { tag: ['y'], of: ['b'], text: ['plain'] },
  },
  c: {
    name: 'Gamma 100%',
    workspace_id: 'other',
    created_at: 3000,
    last_updated_at: 7000,
    attributes: { tag: ['z'], text: ['😀1 50%é'] },
  },
  d: { name: 'Delta_', workspace_id: null, created_at: 3000, last_updated_at: 6000, status: 'archived' },
  e: {
    name: 'épsilon',
    organisation_id: 'elsewhere',
    created_at: 5000,
    last_updated_at: 5000,
    status: 'expired',
  },
  f: {
    name: null,
    slug: 'zeta',
    organisation_id: null,
    workspace_id: null,
    created_at: 6000,
    last_updated_at: 4000,
  },
}

const filters: [what: string, filter: DocumentFilter, found: string][] = [
  ['nothing', {}, 'abcdef'],
  ['an organisation', { organisation_id: 'org' }, 'abcd'],
  ['no organisation', { organisation_id: null }, 'f'],
  ['a workspace', { workspace_ids: ['ws'] }, 'abe'],
  ['several workspaces', { workspace_ids: ['ws', 'other'] }, 'abce'],
  ['a workspace or none', { workspace_ids: ['other', null] }, 'cdf'],
  ['no workspace', { workspace_ids: [null] }, 'df'],
  ['an empty list of workspaces', { workspace_ids: [] }, ''],
  ['a status', { statuses: ['active'] }, 'abcf'],
  ['several statuses', { statuses: ['archived', 'expired'] }, 'de'],
  ['an empty list of statuses', { statuses: [] }, ''],
  ['text in a name, in any letter case', { search: 'ALP' }, 'a'],
  ['text in a slug, in any letter case', { search: 'econ' }, 'b'],
  ['text with signs of patterns', { search: '0%' }, 'c'],
  ['another text with signs of patterns', { search: 'a_' }, 'd'],
  ['letters beyond ASCII', { search: 'ÉPSI' }, 'e'],
  ['text that is nowhere', { search: 'nowhere' }, ''],
  ['a value of an attribute', { attributes: { tag: ['y'] } }, 'ab'],
  ['any of several values, once each', { attributes: { tag: ['x', 'y', 'z'] } }, 'abc'],
  ['several attributes', { attributes: { tag: ['y'], of: ['b', 'c'] } }, 'b'],
  ['an unknown attribute', { attributes: { none: ['y'] } }, ''],
  ['no value of an attribute', { attributes: { tag: [] } }, ''],
  ['times', { created_from: 2000, created_to: 5000 }, 'bcd'],
  ['an attribute that is equal', { where: { attribute: 'tag', test: { op: 'equals', value: 'y' } } }, 'ab'],
  ['an attribute with a value', { where: { attribute: 'of' } }, 'b'],
  [
    'an attribute that contains text',
    { where: { attribute: 'text', test: { op: 'contains', value: '%é' } } },
    'c',
  ],
  [
    'an attribute that contains nothing',
    { where: { attribute: 'text', test: { op: 'contains', value: '' } } },
    'bc',
  ],
  ['an attribute that starts', { where: { attribute: 'text', test: { op: 'starts', value: '😀1' } } }, 'c'],
  [
    'an attribute that starts as a pattern',
    { where: { attribute: 'text', test: { op: 'starts', value: '_' } } },
    '',
  ],
  ['an attribute that ends', { where: { attribute: 'text', test: { op: 'ends', value: '%é' } } }, 'c'],
  [
    'an attribute that ends with nothing',
    { where: { attribute: 'text', test: { op: 'ends', value: '' } } },
    'bc',
  ],
  ['an attribute above a text', { where: { attribute: 'tag', test: { op: 'above', value: 'y' } } }, 'c'],
  ['an attribute from a text', { where: { attribute: 'tag', test: { op: 'from', value: 'y' } } }, 'abc'],
  ['an attribute below a text', { where: { attribute: 'tag', test: { op: 'below', value: 'y' } } }, 'a'],
  ['an attribute up to a text', { where: { attribute: 'tag', test: { op: 'to', value: 'x' } } }, 'a'],
  [
    'what does not have a value',
    { where: { not: { attribute: 'tag', test: { op: 'equals', value: 'y' } } } },
    'cdef',
  ],
  ['a status by condition', { where: { member: 'status', test: { op: 'equals', value: 'expired' } } }, 'e'],
  ['a time by condition', { where: { time: 'last_updated_at', op: 'above', value: 7000 } }, 'ab'],
  ['a time that is equal', { where: { time: 'created_at', op: 'equals', value: 3000 } }, 'cd'],
  ['all of none', { where: { all: [] } }, 'abcdef'],
  ['any of none', { where: { any: [] } }, ''],
  [
    'nested conditions, next to other members',
    {
      statuses: ['active'],
      attributes: { tag: ['x', 'y', 'z'] },
      where: {
        any: [
          { all: [{ attribute: 'tag', test: { op: 'equals', value: 'x' } }, { not: { attribute: 'of' } }] },
          { time: 'created_at', op: 'from', value: 3000 },
        ],
      },
    },
    'ac',
  ],
  [
    'everything at once',
    {
      organisation_id: 'org',
      workspace_ids: ['ws', null],
      statuses: ['active'],
      search: 'E',
      attributes: { tag: ['y'] },
      created_from: 2000,
    },
    'b',
  ],
]

const orders: [order: DocumentOrder, found: string][] = [
  [{}, 'fedcba'],
  [{ order: 'asc' }, 'abcdef'],
  [{ sort: 'last_updated_at' }, 'abcdef'],
  [{ sort: 'last_updated_at', order: 'asc' }, 'fedcba'],
  [{ sort: 'name', order: 'asc' }, 'fabdce'],
  [{ sort: 'name', order: 'desc' }, 'ecdbaf'],
  [{ sort: 'id', order: 'asc' }, 'abcdef'],
]

export function describeDocumentLists(open: () => Promise<[Documents, Documents]>): void {
  describe('lists', () => {
    let one: Documents
    let other: Documents
    let kind: string
    /** Ids in the order of the letters, which gives ties an order. */
    let ids: Record<string, string>
    before(async () => {
      ;[one, other] = await open()
      kind = `kind-${randomUUID()}`
      const prefix = randomUUID().slice(0, -1)
      ids = Object.fromEntries(Object.keys(given).map((letter) => [letter, `${prefix}${letter}`]))
      await one.commit(
        Object.entries(given).map(([letter, some]) => ({
          op: 'put',
          document: draft(kind, { ...some, id: ids[letter] ?? '' }),
        })),
      )
    })
    const letters = (found: readonly { id: string }[]) => found.map(({ id }) => id.at(-1)).join('')

    for (const [what, filter, expected] of filters) {
      it(`are filtered by ${what}`, async () => {
        const { total, documents } = await other.list(kind, filter, { order: 'asc', offset: 0, limit: 100 })
        expect([letters(documents), total]).to.deep.equal([expected, expected.length])
      })
    }

    it('are filtered by ids, and ignore unknown ones', async () => {
      const filter = { ids: [ids.c ?? '', randomUUID(), ids.a ?? ''] }
      const { total, documents } = await other.list(kind, filter, { order: 'asc', offset: 0, limit: 100 })
      expect([letters(documents), total]).to.deep.equal(['ac', 2])
      expect((await other.list(kind, { ids: [] }, { offset: 0, limit: 100 })).total).to.equal(0)
    })

    for (const [order, expected] of orders) {
      it(`are in the order of ${order.sort ?? 'created_at, the default'}, ${order.order ?? 'desc'}`, async () => {
        const { documents } = await other.list(kind, {}, { ...order, offset: 0, limit: 100 })
        expect(letters(documents)).to.equal(expected)
      })
    }

    it('are paged, with the total of all pages', async () => {
      const pages: string[] = []
      for (const offset of [0, 2, 4, 6, 100]) {
        const { total, documents } = await other.list(kind, {}, { order: 'asc', offset, limit: 2 })
        expect(total).to.equal(6)
        pages.push(letters(documents))
      }
      expect(pages).to.deep.equal(['ab', 'cd', 'ef', '', ''])
    })

    it('contain the current documents', async () => {
      const [moved, gone] = [draft(kind), draft(kind)]
      await one.commit([moved, gone].map((document) => ({ op: 'put', document })))
      await one.commit([
        { op: 'put', document: { ...moved, workspace_id: 'moved', attributes: { tag: ['moved'] } } },
        { op: 'remove', kind, id: gone.id },
      ])
      const totalOf = async (filter: DocumentFilter) =>
        (await other.list(kind, filter, { offset: 0, limit: 10 })).total
      expect(await totalOf({ workspace_ids: ['ws'] })).to.equal(3)
      expect(await totalOf({ workspace_ids: ['moved'] })).to.equal(1)
      expect(await totalOf({ attributes: { tag: ['moved'] }, workspace_ids: ['moved'] })).to.equal(1)
      expect(await totalOf({ attributes: { tag: ['moved'] }, workspace_ids: ['ws'] })).to.equal(0)
      await one.commit([{ op: 'remove', kind, id: moved.id }])
      expect(await totalOf({})).to.equal(6)
    })

    it('iterate over a kind by id, and over all kinds by kind and id', async () => {
      const next = `${kind}-next`
      await one.commit([{ op: 'put', document: draft(next, { id: ids.a ?? '' }) }])
      const [first, second] = [
        await other.scan(kind, null, 4),
        await other.scan(kind, { kind, id: ids.d ?? '' }, 4),
      ]
      expect([letters(first), letters(second)]).to.deep.equal(['abcd', 'ef'])
      const all = await other.scan(null, { kind, id: ids.e ?? '' }, 2)
      expect(all.map((found) => [found.kind, found.id])).to.deep.equal([
        [kind, ids.f],
        [next, ids.a],
      ])
    })
  })
}
