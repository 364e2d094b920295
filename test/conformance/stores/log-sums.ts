/** Sums of random entries, compared with an independent computation. */
import { randomUUID } from 'node:crypto'
import type { Log, LogAggregation, LogEntry, LogGroup } from '@gateway/contract'
import { percentile } from '@gateway/domain'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { entryAt, someEntries } from './log-entries.ts'

const hourMs = 3_600_000
const from = 1_700_000_000_000
const to = from + 6 * hourMs

const aggregations: readonly LogAggregation[] = [
  { by: [], histogram: true, users: true },
  { by: ['ai_model'], histogram: true },
  { by: ['response_status_code', 'workspace_id'], users: true },
  { by: ['metadata/team'], histogram: true },
  { by: ['metadata/qu"ote\\'] },
  { by: ['is_fallback'], interval: { sizeMs: hourMs, offsetMs: 0 }, users: true },
  { by: ['response_status_code'], interval: { sizeMs: 60_000, offsetMs: 0 }, histogram: true },
  { by: [], interval: { sizeMs: 7 * 24 * hourMs, offsetMs: 4 * 24 * hourMs }, histogram: true },
]

export function describeLogSums(open: () => Promise<[Log, Log]>): void {
  it('adds up random entries like a plain computation', async () => {
    const [one, other] = await open()
    const property = fc.asyncProperty(
      someEntries(from, to),
      fc.constantFrom(...aggregations),
      async (entries, aggregation) => {
        const organisation_id = randomUUID()
        await one.append(entries.map((entry) => ({ ...entry, organisation_id })))
        const groups = await other.aggregate({ organisation_id, from, to }, aggregation)
        const expected = expectedGroups(entries, aggregation)
        expect(groups.map(keyOf).sort()).to.deep.equal([...expected.keys()].sort())
        for (const group of groups) checkGroup(group, expected.get(keyOf(group)) ?? [], aggregation)
      },
    )
    await assertProperty(property, { numRuns: 25 })
  })

  it('adds up thousands of entries, which an engine may read in parts, like a plain computation', async () => {
    const [one, other] = await open()
    const organisation_id = randomUUID()
    const entries = manyEntries(organisation_id)
    for (let at = 0; at < entries.length; at += 700) await one.append(entries.slice(at, at + 700))
    for (const aggregation of aggregations) {
      const groups = await other.aggregate({ organisation_id, from, to }, aggregation)
      const expected = expectedGroups(entries, aggregation)
      expect(groups.map(keyOf).sort()).to.deep.equal([...expected.keys()].sort())
      for (const group of groups) checkGroup(group, expected.get(keyOf(group)) ?? [], aggregation)
    }
  })
}

const keyOf = ({ bucket, values }: Pick<LogGroup, 'bucket' | 'values'>) => JSON.stringify([bucket, values])

/** Two thirds of them in the second hour. */
function manyEntries(organisation_id: string): LogEntry[] {
  const count = 5600
  const at = (index: number) =>
    index < count / 3 ? Math.floor((index * 3 * (to - from)) / count) : hourMs + (index % hourMs)
  return Array.from({ length: count }, (_, index) =>
    entryAt(from + at(index), {
      organisation_id,
      workspace_id: `ws-${index % 2}`,
      fields: {
        ai_model: ['small', 'large', null][index % 3] ?? null,
        end_user: index % 7 === 0 ? null : `user-${index % 11}`,
        response_status_code: [200, 200, 429, 500][index % 4] ?? null,
        cache_status: ['HIT', 'MISS', 'DISABLED', 'SEMANTIC HIT', 'SEMANTIC MISS'][index % 5] ?? null,
        is_fallback: index % 13 === 0,
        retry_count: index % 3,
        req_units: index,
        res_units: 1,
        cost: index / 1024,
        response_time: index % 977,
      },
      metadata: index % 4 === 0 ? { team: 'a' } : {},
    }),
  )
}

function expectedGroups(entries: readonly LogEntry[], { by, interval }: LogAggregation) {
  const groups = new Map<string, LogEntry[]>()
  for (const entry of entries) {
    const values = by.map((name) => {
      if (name === 'workspace_id') return entry.workspace_id
      if (name.startsWith('metadata/')) return entry.metadata[name.slice('metadata/'.length)] ?? null
      return (entry.fields as Record<string, unknown>)[name] ?? null
    })
    const at = entry.created_at
    const bucket = interval === undefined ? null : at - ((at - interval.offsetMs) % interval.sizeMs)
    const key = JSON.stringify([bucket, values])
    const members = groups.get(key)
    if (members === undefined) groups.set(key, [entry])
    else members.push(entry)
  }
  return groups
}

function checkGroup(group: LogGroup, members: readonly LogEntry[], aggregation: LogAggregation): void {
  const fields = members.map((member) => member.fields)
  const count = (passes: (one: LogEntry['fields']) => boolean) => fields.filter(passes).length
  const sum = (read: (one: LogEntry['fields']) => number | null | undefined) =>
    fields.reduce((total, one) => total + (read(one) ?? 0), 0)
  const status = (one: LogEntry['fields']) => one.response_status_code ?? 0
  const isSuccess = (one: LogEntry['fields']) => status(one) >= 200 && status(one) < 300
  const hits = ['HIT', 'SEMANTIC HIT']
  const misses = ['MISS', 'SEMANTIC MISS']
  const { histogram, users, values: _, bucket: __, cost, saved_cost, ...rest } = group
  expect(cost).to.be.closeTo(
    sum((one) => one.cost),
    1e-6,
  )
  expect(saved_cost).to.be.closeTo(
    sum((one) => one.saved_cost),
    1e-6,
  )
  expect(rest).to.deep.equal({
    requests: members.length,
    req_units: sum((one) => one.req_units),
    res_units: sum((one) => one.res_units),
    response_time: sum((one) => one.response_time),
    successes: count(isSuccess),
    errors: count((one) => status(one) >= 400),
    simple_hits: count((one) => one.cache_status === 'HIT'),
    semantic_hits: count((one) => one.cache_status === 'SEMANTIC HIT'),
    cacheable: count((one) => one.cache_status !== 'DISABLED'),
    hit_time: sum((one) => (hits.includes(one.cache_status ?? '') ? one.response_time : 0)),
    miss_time: sum((one) => (misses.includes(one.cache_status ?? '') ? one.response_time : 0)),
    misses: count((one) => misses.includes(one.cache_status ?? '')),
    rescued_by_retry: count(
      (one) => isSuccess(one) && one.is_fallback !== true && (one.retry_count ?? 0) > 0,
    ),
    rescued_by_fallback: count((one) => isSuccess(one) && one.is_fallback === true),
    first_at: Math.min(...members.map(({ created_at }) => created_at)),
    last_at: Math.max(...members.map(({ created_at }) => created_at)),
  })
  if (aggregation.users === true)
    expect(users).to.equal(new Set(fields.flatMap((one) => one.end_user ?? [])).size)
  if (aggregation.histogram !== true) return
  const times = fields.map((one) => one.response_time ?? 0).sort((left, right) => left - right)
  for (const rank of [0.5, 0.9, 0.95, 0.99]) {
    const exact = times[Math.ceil(rank * times.length) - 1] ?? 0
    expect(percentile(histogram, rank)).to.be.within(exact * 0.99, exact * 1.01)
  }
}
