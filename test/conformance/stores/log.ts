/** What the log does, whatever keeps it: appended once each, read newest first, counted, grouped, and pruned. */
import { randomUUID } from 'node:crypto'
import type { Log, LogEntry, LogFilter } from '@gateway/contract'
import { expect } from 'chai'
import { pair } from './opened.ts'

/** In the order of their letters; `b` and `c` in one millisecond. */
const given: Record<string, Partial<LogEntry>> = {
  a: { created_at: 1000, fields: { model: 'small', status: 200, tokens: 10, cost: 0.5 } },
  b: { created_at: 2000, fields: { model: 'large', status: 200, tokens: 20, cost: 0.25 } },
  c: { created_at: 2000, fields: { model: 'large', status: 429, tokens: null } },
  d: { created_at: 3000, workspace_id: 'other', fields: { model: '200', status: 500, tokens: 'many' } },
  e: { created_at: 4000, workspace_id: null, fields: { 'meta."a\\b%': "it's", model: 'large', tokens: 2.5 } },
}

const filters: [what: string, filter: LogFilter, found: string][] = [
  ['nothing', {}, 'edcba'],
  ['a workspace', { workspace_ids: ['ws'] }, 'cba'],
  ['several workspaces', { workspace_ids: ['ws', 'other'] }, 'dcba'],
  ['no workspace at all', { workspace_ids: [] }, ''],
  ['a time, from inclusive, to exclusive', { from: 2000, to: 4000 }, 'dcb'],
  ['a text', { fields: { model: ['large'] } }, 'ecb'],
  ['one of several texts', { fields: { model: ['small', 'large'] } }, 'ecba'],
  ['a number, which is no text', { fields: { status: [200] } }, 'ba'],
  ['a text, which is no number', { fields: { model: ['200'], status: [500] } }, 'd'],
  ['a number where there are texts', { fields: { model: [200] } }, ''],
  ['what is not there', { fields: { status: [null] } }, 'e'],
  ['what is null or a value', { fields: { tokens: [null, 10] } }, 'ca'],
  ['no value at all', { fields: { model: [] } }, ''],
  ['a field with signs in its name', { fields: { 'meta."a\\b%': ["it's"] } }, 'e'],
  ['a range, both ends inclusive', { ranges: { tokens: { min: 10, max: 20 } } }, 'ba'],
  ['a range without an end', { ranges: { tokens: { max: 10 } } }, 'ea'],
  [
    'everything at once',
    { workspace_ids: ['ws'], from: 1500, fields: { model: ['large'] }, ranges: { status: { min: 400 } } },
    'c',
  ],
]

/** The whole suite. */
export function describeLog(name: string, open: () => Promise<Log[]>): void {
  describe(`log ${name}`, () => {
    let one: Log
    let other: Log
    let organisation: string
    let prefix: string
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      organisation = randomUUID()
      prefix = randomUUID()
    })
    const entry = (letter: string, some: Partial<LogEntry> = {}): LogEntry => ({
      id: `${prefix}${letter}`,
      created_at: 1000,
      organisation_id: organisation,
      workspace_id: 'ws',
      fields: {},
      data: {},
      ...some,
    })
    const fill = () => one.append(Object.entries(given).map(([letter, some]) => entry(letter, some)))
    const ofTest = (filter: LogFilter): LogFilter => ({ organisation_id: organisation, ...filter })
    const letters = (found: readonly { id: string }[]) => found.map(({ id }) => id.at(-1)).join('')

    it('gives back all of an entry, in every process', async () => {
      const written = entry('a', {
        fields: { text: 'ä\n名前 🚪', number: 1.5, large: 2 ** 40, nothing: null, empty: '' },
        data: { request: { body: { messages: [{ role: 'user', content: 'a\u0000b' }] } }, response: null },
      })
      await one.append([written])
      expect(await other.list(ofTest({}), null, 10)).to.deep.equal([written])
    })

    it('skips what is there already, and twice in a batch', async () => {
      await one.append([entry('a', { data: { first: true } })])
      await other.append([entry('a', { data: { first: false } }), entry('b'), entry('b')])
      const found = await one.list(ofTest({}), null, 10)
      expect(letters(found)).to.equal('ba')
      expect(found[1]?.data).to.deep.equal({ first: true })
    })

    it('takes an empty batch, and a large one', async () => {
      await one.append([])
      await one.append(Array.from({ length: 1200 }, (_, index) => entry(`-${index}`)))
      expect(await other.count(ofTest({}))).to.equal(1200)
    })

    for (const [what, filter, expected] of filters) {
      it(`is filtered by ${what}`, async () => {
        await fill()
        expect(letters(await other.list(ofTest(filter), null, 10))).to.equal(expected)
        expect(await other.count(ofTest(filter))).to.equal(expected.length)
      })
    }

    it('is filtered by ids', async () => {
      await fill()
      expect(
        letters(await other.list({ ids: [`${prefix}b`, `${prefix}x`, `${prefix}a`] }, null, 10)),
      ).to.equal('ba')
    })

    it('is read on behind a cursor, newest first', async () => {
      await fill()
      const pages: string[] = []
      let after = null
      for (;;) {
        const page: LogEntry[] = await other.list(ofTest({}), after, 2)
        const last = page.at(-1)
        if (last === undefined) break
        pages.push(letters(page))
        after = { created_at: last.created_at, id: last.id }
      }
      expect(pages).to.deep.equal(['ed', 'cb', 'a'])
    })

    it('is grouped by a field, the largest groups first, with sums of numbers', async () => {
      await fill()
      expect(await other.group(ofTest({}), 'model', ['tokens', 'cost'], 10)).to.deep.equal([
        { value: 'large', count: 3, sums: { tokens: 22.5, cost: 0.25 }, first_at: 2000, last_at: 4000 },
        { value: '200', count: 1, sums: { tokens: 0, cost: 0 }, first_at: 3000, last_at: 3000 },
        { value: 'small', count: 1, sums: { tokens: 10, cost: 0.5 }, first_at: 1000, last_at: 1000 },
      ])
      const statuses = await other.group(ofTest({ to: 4000 }), 'status', [], 1)
      expect(statuses).to.deep.equal([{ value: 200, count: 2, sums: {}, first_at: 1000, last_at: 2000 }])
      const absent = await other.group(ofTest({ from: 4000 }), 'status', [], 10)
      expect(absent.map(({ value }) => value)).to.deep.equal([null])
    })

    it('loses what is older than a time, in portions, the oldest first', async () => {
      await fill()
      // Other tests' entries are as old.
      let removed = 0
      for (let last = -1; last !== 0; removed += last) last = await one.prune(3000, 2)
      expect(removed).to.be.at.least(3)
      expect(letters(await other.list(ofTest({}), null, 10))).to.equal('ed')
      expect(await one.prune(3000, 10)).to.equal(0)
    })

    it('loses what one organisation has kept long enough, and keeps what is of another', async () => {
      const another = randomUUID()
      await one.append([
        entry('a', { created_at: 1000 }),
        entry('b', { created_at: 5000 }),
        entry('c', { created_at: 1000, organisation_id: another }),
      ])
      expect(await one.prune(3000, 10, organisation)).to.equal(1)
      expect(letters(await other.list(ofTest({}), null, 10))).to.equal('b')
      expect(letters(await other.list({ organisation_id: another }, null, 10))).to.equal('c')
    })
  })
}
