/**
 * The suite for the log of every engine: entries are appended once, read newest first, filtered, summed, erased and
 * pruned.
 */
import { randomUUID } from 'node:crypto'
import type { Log, LogEntry, LogFeedback, LogFilter, LogPage } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import { expect } from 'chai'
import { entryAt } from './log-entries.ts'
import { describeLogSums } from './log-sums.ts'
import { pair } from './opened.ts'

const base = 1_700_000_000_000

/** Entries by letter; `b` and `c` have the same millisecond. */
const given: Record<string, Partial<LogEntry> & { at: number }> = {
  a: { at: 1000, fields: { ai_model: 'small', response_status_code: 200, req_units: 10, cost: 0.5 } },
  b: { at: 2000, fields: { ai_model: 'large', response_status_code: 200, req_units: 20, stream: true } },
  c: {
    at: 2000,
    fields: { ai_model: 'large', response_status_code: 429, provider_id: 'p1', api_key_id: 'k1' },
  },
  d: {
    at: 3000,
    workspace_id: 'other',
    fields: { ai_model: '200', response_status_code: 500, provider: 'x' },
  },
  e: {
    at: 4000,
    workspace_id: null,
    metadata: { 'a"\\b%': "it's", team: 'core' },
    fields: { ai_model: 'large' },
  },
}

const filters: [what: string, filter: LogFilter, found: string][] = [
  ['nothing', {}, 'edcba'],
  ['a workspace', { workspace_ids: ['ws'] }, 'cba'],
  ['several workspaces', { workspace_ids: ['ws', 'other'] }, 'dcba'],
  ['no workspace', { workspace_ids: [] }, ''],
  ['an unknown workspace', { workspace_ids: ['none'] }, ''],
  ['entries without a workspace', { workspace_ids: [null] }, 'e'],
  ['a time, from inclusive, to exclusive', { from: base + 2000, to: base + 4000 }, 'dcb'],
  ['a text', { fields: { ai_model: ['large'] } }, 'ecb'],
  ['one of several texts', { fields: { ai_model: ['small', 'large'] } }, 'ecba'],
  ['a text that no entry has', { fields: { ai_model: ['none'] } }, ''],
  ['a number', { fields: { response_status_code: [200] } }, 'ba'],
  ['a text that looks like a number', { fields: { ai_model: ['200'] } }, 'd'],
  ['a number where there are texts', { fields: { ai_model: [200] } }, ''],
  ['true values', { fields: { stream: [true] } }, 'b'],
  ['what is not there', { fields: { response_status_code: [null] } }, 'e'],
  ['null or a value', { fields: { req_units: [null, 10] } }, 'edca'],
  ['own entries in one workspace', { own: { workspace_ids: ['ws'], api_key_ids: ['k1'] } }, 'edc'],
  ['no own entries', { own: { workspace_ids: ['ws'], api_key_ids: [] } }, 'ed'],
  [
    'one of two pairs',
    {
      anyOf: [
        { ai_model: ['large'], response_status_code: [200] },
        { ai_model: ['200'], provider: ['x'] },
      ],
    },
    'db',
  ],
  ['all but some texts, and those without one', { except: { provider: ['x'] } }, 'ecba'],
  ['all but texts that no entry has', { except: { ai_model: ['none'] } }, 'edcba'],
  ['all but a number', { except: { response_status_code: [200] } }, 'edc'],
  ['no value at all', { fields: { ai_model: [] } }, ''],
  ['one of two fields', { either: [{ provider_id: ['p1'], provider: ['x'] }] }, 'dc'],
  ['a range, both ends inclusive', { ranges: { req_units: { min: 10, max: 20 } } }, 'ba'],
  ['a range without an end', { ranges: { req_units: { max: 10 } } }, 'a'],
  ['a fraction', { ranges: { cost: { min: 0.5, max: 0.5 } } }, 'a'],
  ['metadata, with signs in the key', { metadata: { 'a"\\b%': "it's" } }, 'e'],
  ['metadata of which one does not match', { metadata: { team: 'core', 'a"\\b%': 'other' } }, ''],
  [
    'everything at once',
    {
      workspace_ids: ['ws'],
      from: base + 1500,
      fields: { ai_model: ['large'] },
      ranges: { response_status_code: { min: 400 } },
    },
    'c',
  ],
]

/** The whole suite. */
export function describeLog(name: string, open: () => Promise<Log[]>): void {
  describe(`log ${name}`, () => {
    let one: Log
    let other: Log
    let organisation: string
    let letters: Map<string, string>
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      organisation = randomUUID()
      letters = new Map()
    })
    const entry = (letter: string, at: number, some: Partial<LogEntry> = {}): LogEntry => {
      const made = entryAt(at, { organisation_id: organisation, workspace_id: 'ws', ...some })
      letters.set(made.id, letter)
      return made
    }
    const fill = async () => {
      const entries = Object.entries(given).map(([letter, { at, ...some }]) => entry(letter, base + at, some))
      await one.append(entries)
      return entries
    }
    const ofTest = (filter: LogFilter): LogFilter => ({ organisation_id: organisation, ...filter })
    const named = (found: readonly { id: string }[]) => found.map(({ id }) => letters.get(id)).join('')
    /** `b` and `c` are in the order of their ids. */
    const sorted = (text: string) => text.replace('bc', 'cb')

    it('returns the whole entry, in every process', async () => {
      const written = entry('a', base, {
        fields: {
          trace_id: 'ä\n名前 🚪',
          ai_model: 'model',
          response_time: 2 ** 30,
          cost: 1.5,
          stream: false,
          is_partial: true,
          span_id: '',
        },
        metadata: { _user: 'ann', note: 'a\nb' },
        details: { attempts: [{ path: 'config' }], request: { url: '/v1', headers: { a: 'b' } } },
        bodies: {
          request: JSON.stringify({ messages: [{ content: 'a\u0000b' }] }),
          response: '"text"',
          transformed_request: null,
          original_response: '{"a":1}',
        },
      })
      await one.append([written])
      const [summary] = await other.list(ofTest({}), { limit: 10 })
      const [whole] = await other.read([written.id])
      const shown = Object.fromEntries(
        Object.entries(whole?.fields ?? {}).filter(([, value]) => value !== null),
      )
      expect({ ...whole, fields: shown }).to.deep.equal(written)
      const { details: _, bodies: __, ...expected } = whole ?? written
      expect(summary).to.deep.equal(expected)
    })

    it('reads whole entries in the order of the ids, and leaves out missing ones', async () => {
      const [a, b, c] = await fill()
      const ids = [c?.id ?? '', randomUUID(), 'no-id', a?.id ?? '', b?.id ?? '']
      expect(named(await other.read(ids))).to.equal('cab')
      expect(await other.read([])).to.deep.equal([])
    })

    it('skips existing entries, and duplicates in a batch', async () => {
      const first = entry('a', base, { details: { first: true } })
      await one.append([first])
      const second = entry('b', base + 1)
      await other.append([{ ...first, details: { first: false } }, second, second])
      expect(named(await one.list(ofTest({}), { limit: 10 }))).to.equal('ba')
      const [read] = await one.read([first.id])
      expect(read?.details).to.deep.equal({ first: true })
    })

    it('accepts an empty batch, and a large one', async () => {
      await one.append([])
      await one.append(Array.from({ length: 8000 }, (_, index) => entry('x', base + index)))
      expect(await other.count(ofTest({}))).to.equal(8000)
    })

    for (const [what, filter, expected] of filters) {
      it(`is filtered by ${what}`, async () => {
        await fill()
        expect(sorted(named(await other.list(ofTest(filter), { limit: 10 })))).to.equal(expected)
        expect(await other.count(ofTest(filter))).to.equal(expected.length)
      })
    }

    it('finds entries by trace and span, for ids of any form', async () => {
      const [uuid, span] = [randomUUID(), randomUUID()]
      const traces: [letter: string, trace: string | null, span: string | null][] = [
        ['a', uuid, span],
        ['b', uuid, span.toUpperCase()],
        ['c', uuid.toUpperCase(), null],
        ['d', uuid.replaceAll('-', ''), ''],
        ['e', 'ä', '0'],
        ['f', null, null],
        ['g', '0', null],
      ]
      const written = traces.map(([letter, trace_id, span_id], index) =>
        entry(letter, base + index, { fields: { trace_id, span_id } }),
      )
      const own = entry('h', base + 7)
      const child = entry('i', base + 8, { fields: { trace_id: own.id } })
      await one.append([...written, { ...own, fields: { trace_id: own.id } }, child])
      const found = async (fields: LogFilter['fields'] & object) =>
        named(await other.list(ofTest({ fields, from: base }), { limit: 10 }))
      expect(await found({ trace_id: [uuid] })).to.equal('ba')
      expect(await found({ trace_id: [uuid.toUpperCase()] })).to.equal('c')
      expect(await found({ trace_id: [uuid.replaceAll('-', '')] })).to.equal('d')
      expect(await found({ trace_id: ['ä'] })).to.equal('e')
      expect(await found({ trace_id: [null] })).to.equal('f')
      expect(await found({ trace_id: ['0'] })).to.equal('g')
      expect(await found({ trace_id: [own.id] })).to.equal('ih')
      expect(await found({ trace_id: [written[0]?.id ?? ''] })).to.equal('')
      expect(await found({ trace_id: [own.id, null, uuid] })).to.equal('ihfba')
      expect(await found({ span_id: [span] })).to.equal('a')
      expect(await found({ span_id: [span.toUpperCase(), ''] })).to.equal('db')
      const shown = await other.list(ofTest({}), { limit: 10, order: 'asc' })
      expect(shown.map(({ fields }) => [fields.trace_id ?? null, fields.span_id ?? null])).to.deep.equal([
        ...traces.map(([, trace, spanId]) => [trace, spanId]),
        [own.id, null],
        [own.id, null],
      ])
    })

    it('is filtered by ids', async () => {
      const [a, b] = await fill()
      const ids = [b?.id ?? '', randomUUID(), a?.id ?? '']
      expect(named(await other.list({ ids }, { limit: 10 }))).to.equal('ba')
    })

    it('finds text in the bodies in any case, with quotes and pattern characters', async () => {
      const bodies = {
        request: JSON.stringify({ content: 'Say "HI" to ÄNNE, 100%_sure' }),
        response: JSON.stringify({ content: 'line one\nline two' }),
        transformed_request: '"hidden words"',
        original_response: null,
      }
      await one.append([entry('a', base, { bodies }), entry('b', base + 1)])
      const search = async (text: string) => named(await other.list(ofTest({ search: text }), { limit: 10 }))
      for (const text of ['say "hi"', 'änne', '100%_', 'ONE\nline'])
        expect(await search(text), text).to.equal('a')
      for (const text of ['hidden words', '100_%', 'nowhere']) expect(await search(text), text).to.equal('')
    })

    it('is paged after an entry, newest first or oldest first, and by offset', async () => {
      await fill()
      const pages: string[] = []
      let after: string | undefined
      for (;;) {
        const page = await other.list(ofTest({}), { limit: 2, ...(after === undefined ? {} : { after }) })
        if (page.length === 0) break
        pages.push(named(page))
        after = page.at(-1)?.id
      }
      expect(sorted(pages.join(''))).to.equal('edcba')
      const all = named(await other.list(ofTest({}), { limit: 10 }))
      const oldest = await other.list(ofTest({}), { limit: 10, order: 'asc' })
      expect(named(oldest)).to.equal([...all].reverse().join(''))
      expect(named(await other.list(ofTest({}), { limit: 2, offset: 1 }))).to.equal(all.slice(1, 3))
    })

    it('is sorted by a value, with entries without it last and equal ones newest first, by offset', async () => {
      const costs = [2, null, 0.5, 2, null, 10]
      const entries = costs.map((cost, index) =>
        entry(`s${index}`, base + index, { workspace_id: 'sorted', fields: cost === null ? {} : { cost } }),
      )
      await one.append(entries)
      const filter = ofTest({ workspace_ids: ['sorted'] })
      const placesOf = async (page: Partial<LogPage>) =>
        (await other.list(filter, { limit: 10, sort: 'cost', ...page })).map(({ id }) =>
          entries.findIndex((entry) => entry.id === id),
        )
      expect(await placesOf({})).to.deep.equal([5, 3, 0, 2, 4, 1])
      expect(await placesOf({ order: 'asc' })).to.deep.equal([2, 3, 0, 5, 4, 1])
      expect(await placesOf({ offset: 1, limit: 2 })).to.deep.equal([3, 0])
    })

    it('removes entries older than a time in batches, and keeps their aggregates', async () => {
      await fill()
      const sums = async () => {
        const [group] = await other.aggregate(ofTest({}), { by: [], histogram: true })
        return { ...group, histogram: [...(group?.histogram ?? [])].sort() }
      }
      const before = await sums()
      // Entries of other tests have the same age.
      while ((await one.prune(base + 3000, 2, organisation)) > 0);
      expect(named(await other.list(ofTest({}), { limit: 10 }))).to.equal('ed')
      expect(await sums()).to.deep.equal(before)
      const [largest] = await other.aggregate(ofTest({ fields: { ai_model: ['large'] } }), {
        by: ['ai_model'],
      })
      expect(largest).to.include({ requests: 3 })
      while ((await one.pruneAggregates(base + 3_600_000, 100, organisation)) > 0);
      expect(await sums()).to.include({ requests: 2 })
    })

    it('keeps the source of pruned entries, so that sums can leave out some', async () => {
      const sources = ['gateway', 'replay', 'replay', 'shadow', null]
      await one.append(sources.map((source, at) => entry(`s${at}`, base + at, { fields: { source } })))
      const requests = async (filter: LogFilter) => {
        const [group] = await other.aggregate(ofTest(filter), { by: [] })
        return group?.requests ?? 0
      }
      for (const isPruned of [false, true]) {
        if (isPruned) while ((await one.prune(base + 3000, 10, organisation)) > 0);
        expect(await requests({}), `${isPruned}`).to.equal(5)
        expect(await requests({ except: { source: ['replay', 'shadow'] } }), `${isPruned}`).to.equal(2)
        expect(await requests({ fields: { source: ['replay'] } }), `${isPruned}`).to.equal(2)
      }
    })

    it('removes expired entries of one organisation, and keeps those of others', async () => {
      const another = randomUUID()
      await one.append([
        entry('a', base + 1000),
        entry('b', base + 5000),
        entry('c', base + 1000, { organisation_id: another }),
      ])
      while ((await one.prune(base + 3000, 10, organisation)) > 0);
      expect(named(await other.list(ofTest({}), { limit: 10 }))).to.equal('b')
      expect(named(await other.list({ organisation_id: another }, { limit: 10 }))).to.equal('c')
    })

    it('prunes all organisations, in whole days where possible', async () => {
      const day = 86_400_000
      const early = 1_500_000_000_000
      await one.append([0, 1, 2, 3].map((days) => entry(String(days), early + days * day)))
      while ((await one.prune(early + 2 * day + 1, 2)) > 0);
      expect(named(await other.list(ofTest({}), { limit: 10 }))).to.equal('3')
      const [group] = await other.aggregate(ofTest({}), { by: [] })
      expect(group).to.include({ requests: 4 })
      // A dropped day may reappear. The grace period of a TTL is two days, which the first day may exceed already.
      await one.append([entry('late', early + day)])
      expect(await other.count(ofTest({}))).to.equal(2)
    })

    it('counts the entries of a range after every change, in every process', async () => {
      const minute = 60_000
      const now = Date.now()
      const at = (minutes: number, letter: string, some: Partial<LogEntry> = {}) =>
        entry(letter, now - minutes * minute, some)
      const filters: LogFilter[] = [
        { from: now - 90 * minute },
        { from: now - 90 * minute, fields: { ai_model: ['new'] } },
        { from: now - 90 * minute, except: { ai_model: ['new'] } },
        { from: now - 65 * minute, to: now - 3 * minute },
        { from: now - 31 * minute, to: now - 29 * minute },
        { from: now - 1000 * 24 * 60 * minute },
      ]
      const expectCounts = async (expected: number[], change: string) => {
        for (const [process, log] of [one, other, one].entries())
          for (const [index, filter] of filters.entries())
            expect(await log.count(ofTest(filter)), `filter ${index} in ${process} ${change}`).to.equal(
              expected[index],
            )
      }
      await one.append([0, 1, 2, 5, 20, 30, 45, 60, 80].map((minutes) => at(minutes, 'a')))
      await expectCounts([9, 0, 9, 5, 1, 9], 'after the first entries')
      const recent = at(0, 'b', { fields: { ai_model: 'new' }, metadata: { _user: 'ann' } })
      const late = at(30, 'c', { fields: { ai_model: 'new' } })
      await one.append([recent, late, at(-5, 'd'), at(60 * 24, 'e')])
      await expectCounts([12, 2, 10, 6, 2, 13], 'after late and early ones')
      await one.append([late])
      await other.append([at(45, 'f')])
      await expectCounts([13, 2, 11, 7, 2, 14], 'after one of another process')
      await one.erase(ofTest({ ids: [late.id] }), 10)
      await expectCounts([12, 1, 11, 6, 1, 13], 'after an erasure')
      await other.erase(ofTest({ metadata: { _user: 'ann' } }), 10)
      await expectCounts([11, 0, 11, 6, 1, 12], 'after an erasure by another process')
      while ((await one.prune(now - 50 * minute, 1, organisation)) > 0);
      await expectCounts([9, 0, 9, 5, 1, 9], 'after the retention')
    })

    it('erases entries together with their bodies', async () => {
      const entries = [
        entry('a', base, { metadata: { _user: 'ann' } }),
        entry('b', base + 1, { metadata: { _user: 'bob' } }),
        entry('c', base + 2, { metadata: { _user: 'ann' } }),
      ]
      await one.append(entries)
      const filter = ofTest({ metadata: { _user: 'ann' } })
      expect(await other.erase(filter, 1)).to.equal(1)
      expect(await other.erase(filter, 10)).to.equal(1)
      expect(await other.erase(filter, 10)).to.equal(0)
      expect(named(await one.read(entries.map(({ id }) => id)))).to.equal('b')
      const [group] = await other.aggregate(ofTest({}), { by: [] })
      expect(group).to.include({ requests: 1 })
    })

    it('refuses entries from before an erasure that arrive after it, from another process', async () => {
      if (one === other) return
      const now = Date.now()
      const made = (
        letter: string,
        { at, user, source = 'gateway' }: { at: number; user: string; source?: string },
      ) => entry(letter, at, { metadata: { _user: user }, fields: { source } })
      await one.append([made('a', { at: now - 5000, user: 'ann' })])
      expect(await one.erase(ofTest({ metadata: { _user: 'ann' } }), 10)).to.equal(1)
      const waiting = [
        made('b', { at: now - 5000, user: 'ann' }),
        made('c', { at: now - 5000, user: 'bob' }),
        made('d', { at: now + 60_000, user: 'ann' }),
        // Someone adds it deliberately, after the erasure.
        made('e', { at: now - 5000, user: 'ann', source: 'custom' }),
      ]
      await other.append(waiting.slice(0, 1))
      await other.append(waiting)
      const found = await one.list(ofTest({}), { limit: 10 })
      expect(found.map(({ id }) => letters.get(id)).sort()).to.deep.equal(['c', 'd', 'e'])
      expect(await one.read(waiting.slice(0, 1).map(({ id }) => id))).to.deep.equal([])
    })

    describe('with feedback', () => {
      /** A workspace of the test's own. */
      const here = () => ({ workspace_id: organisation })
      const feedback = (trace_id: string, value: number, some: Partial<LogFeedback> = {}): LogFeedback => ({
        id: timeOrderedId(base),
        created_at: base,
        last_updated_at: base,
        organisation_id: organisation,
        workspace_id: organisation,
        trace_id,
        value,
        weight: 1,
        metadata: {},
        source: 'api',
        api_key_id: null,
        user_id: null,
        ...some,
      })

      it('stores, changes, lists and counts it', async () => {
        const first = feedback('t1', 5, { metadata: { why: 'ä' }, api_key_id: 'k' })
        const second = feedback('t2', -3, {
          id: timeOrderedId(base + 1),
          created_at: base + 1,
          workspace_id: 'other',
        })
        await one.feedback.put([first, second])
        await one.feedback.put([{ ...first, value: 7, weight: 0.25, last_updated_at: base + 9 }])
        const filter = { organisation_id: organisation }
        expect(await other.feedback.list(filter, { offset: 0, limit: 10 })).to.deep.equal([
          second,
          { ...first, value: 7, weight: 0.25, last_updated_at: base + 9 },
        ])
        expect(await other.feedback.count(filter)).to.equal(2)
        expect(await other.feedback.count({ ...filter, trace_ids: ['t1'] })).to.equal(1)
        expect(await other.feedback.count({ ...filter, workspace_ids: ['other'] })).to.equal(1)
        expect(await other.feedback.count({ ...filter, workspace_ids: [] })).to.equal(0)
        expect(await other.feedback.count({ ids: [first.id] })).to.equal(1)
        expect(await other.feedback.count({ ...filter, from: base + 1 })).to.equal(1)
        const own = { workspace_ids: ['other'], api_key_ids: ['k'] }
        expect(await other.feedback.count({ ...filter, own })).to.equal(1)
      })

      it('filters entries by its weighted mean within their workspace', async () => {
        await one.append([
          entry('a', base, { ...here(), fields: { trace_id: 't1', ai_model: 'small' } }),
          entry('b', base + 1, { ...here(), fields: { trace_id: 't2', ai_model: 'large' } }),
          entry('c', base + 2, { ...here(), fields: { trace_id: 't3' } }),
          entry('d', base + 3, { workspace_id: 'other', fields: { trace_id: 't1' } }),
        ])
        await one.feedback.put([
          feedback('t1', 10, { weight: 0.5 }),
          feedback('t1', 1),
          feedback('t2', -4, { weight: 0.5 }),
        ])
        const found = async (range: { min?: number; max?: number }) =>
          named(await other.list(ofTest({ weighted_feedback: range }), { limit: 10 }))
        expect(await found({ min: 3, max: 3 })).to.equal('a')
        expect(await found({ max: 0 })).to.equal('b')
        expect(await found({})).to.equal('ba')
        const sum = (by: 'ai_model' | 'value' | null) => other.feedback.aggregate(ofTest({}), { by })
        expect(await sum(null)).to.deep.equal([{ bucket: null, value: null, total: 3, weighted: 4 }])
        const interval = { sizeMs: 3_600_000, offsetMs: 0 }
        expect(await other.feedback.aggregate(ofTest({}), { by: null, interval })).to.deep.equal([
          { bucket: Math.floor(base / 3_600_000) * 3_600_000, value: null, total: 3, weighted: 4 },
        ])
        expect(await sum('value')).to.have.deep.members([
          { bucket: null, value: 10, total: 1, weighted: 5 },
          { bucket: null, value: 1, total: 1, weighted: 1 },
          { bucket: null, value: -4, total: 1, weighted: -2 },
        ])
        expect(await sum('ai_model')).to.have.deep.members([
          { bucket: null, value: 'small', total: 2, weighted: 6 },
          { bucket: null, value: 'large', total: 1, weighted: -2 },
        ])
      })

      it('joins it with traces named after their entry, and with UUID traces', async () => {
        const [uuid, unnamed] = [randomUUID(), entry('a', base, here())]
        await one.append([
          { ...unnamed, fields: { trace_id: unnamed.id, ai_model: 'small' } },
          entry('b', base + 1, { ...here(), fields: { trace_id: uuid, ai_model: 'large' } }),
          entry('c', base + 2, { ...here(), fields: { trace_id: null } }),
        ])
        const given = [feedback(unnamed.id, 3), feedback(uuid, 5), feedback('0', 9)]
        await one.feedback.put(given)
        const filter = { organisation_id: organisation, trace_ids: [uuid] }
        const [listed] = await other.feedback.list(filter, { offset: 0, limit: 10 })
        expect(listed).to.deep.equal(given[1])
        const found = async (min: number) =>
          named(await other.list(ofTest({ weighted_feedback: { min } }), { limit: 10 }))
        expect([await found(4), await found(1), await found(6)]).to.deep.equal(['b', 'ba', ''])
        const [sum] = await other.feedback.aggregate(ofTest({}), { by: null })
        expect(sum).to.include({ total: 2, weighted: 8 })
      })

      it('counts the feedback of a trace with several entries once', async () => {
        await one.append([1, 2].map((at) => entry('x', base + at, { ...here(), fields: { trace_id: 't1' } })))
        await one.feedback.put([feedback('t1', 2)])
        const [group] = await other.feedback.aggregate(ofTest({}), { by: null })
        expect(group).to.include({ total: 1, weighted: 2 })
      })
    })

    describeLogSums(async () => pair(await open()))
  })
}
