/** Each column of analytics agrees with a plain computation over random entries, on every engine. */
import type { LogEntry } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { someEntries } from '../../conformance/stores/log-entries.ts'
import { assertProperty } from '../../support/assert-property.ts'
import { openManagement } from '../../support/management.ts'

const hourMs = 3_600_000
const names = [
  ...['cost', 'total_tokens', 'avg_tokens', 'avg_input_tokens', 'avg_output_tokens', 'avg_latency'],
  ...[
    'p95_latency',
    'p99_latency',
    'success_rate',
    'error_count',
    'cache_hit_rate',
    'first_seen',
    'last_seen',
  ],
]

/** The group names, and the value of an entry. */
const groupings: readonly [name: string, readValue: (entry: LogEntry) => unknown][] = [
  ['model', ({ fields }) => fields.ai_model],
  ['status_code', ({ fields }) => fields.response_status_code],
  ['ai_service', ({ fields }) => fields.ai_org],
  ['metadata/team', ({ metadata }) => metadata.team],
]

describe('the columns of analytics', () => {
  const api = openManagement()
  const to = Math.floor(Date.now() / hourMs) * hourMs
  const from = to - 6 * hourMs
  let workspaces = 0

  it('equal a plain computation over random entries, per group and in total', async () => {
    const property = fc.asyncProperty(someEntries(from, to), async (given) => {
      workspaces += 1
      const workspace_id = await api.people.workspace(`Random ${workspaces}`)
      const stored = await api.stored('workspace', workspace_id)
      const organisation_id = stored?.organisation_id ?? ''
      const entries = given.map((entry) => ({ ...entry, organisation_id, workspace_id }))
      await api.gateway.runtime.store.log.append(entries, { isDurable: true })
      const query = new URLSearchParams({
        workspace_id,
        columns: names.join(','),
        page_size: '100',
        time_of_generation_min: new Date(from).toISOString(),
        time_of_generation_max: new Date(to).toISOString(),
      })
      for (const [name, readValue] of groupings) {
        const { data, status, text } = await api.get(`/v1/analytics/groups/${name}?${query}`)
        expect(status, text).to.equal(200)
        const values = new Set(entries.map((entry) => readValue(entry) ?? null))
        expect(data).to.have.length(values.size)
        const key = name.startsWith('metadata/') ? 'value' : name
        for (const group of data)
          check(
            group,
            entries.filter((entry) => (readValue(entry) ?? null) === group[key]),
          )
      }
      query.delete('columns')
      query.delete('page_size')
      const { body } = await api.get(`/v1/analytics/summary?${query}`)
      check(body, entries)
    })
    await assertProperty(property, { numRuns: 8 })
  })
})

function check(shown: Record<string, unknown>, entries: readonly LogEntry[]): void {
  const fields = entries.map((entry) => entry.fields)
  const count = fields.length
  const sum = (read: (one: LogEntry['fields']) => number | null | undefined) =>
    fields.reduce((total, one) => total + (read(one) ?? 0), 0)
  const share = (part: number) => (count === 0 ? 0 : part / count)
  const percent = (passes: (one: LogEntry['fields']) => boolean) =>
    Math.round(share(fields.filter(passes).length) * 1_000_000) / 10_000
  const statusOf = (one: LogEntry['fields']) => one.response_status_code ?? 0
  const [input, output] = [sum((one) => one.req_units), sum((one) => one.res_units)]
  const times = entries.map(({ created_at }) => created_at)
  const iso = (time: number) => (count === 0 ? null : new Date(time).toISOString())
  expect(shown.requests).to.equal(count)
  expect(shown.cost).to.be.closeTo(
    sum((one) => one.cost),
    1e-5,
  )
  expect(shown).to.include({
    total_tokens: input + output,
    error_count: fields.filter((one) => statusOf(one) >= 400).length,
    success_rate: percent((one) => statusOf(one) >= 200 && statusOf(one) <= 299),
    cache_hit_rate: percent((one) => ['HIT', 'SEMANTIC HIT'].includes(one.cache_status ?? '')),
    first_seen: iso(Math.min(...times)),
    last_seen: iso(Math.max(...times)),
  })
  const means: Record<string, number> = {
    avg_tokens: share(input + output),
    avg_input_tokens: share(input),
    avg_output_tokens: share(output),
    avg_latency: share(sum((one) => one.response_time)),
  }
  for (const [name, mean] of Object.entries(means)) expect(shown[name], name).to.be.closeTo(mean, 0.0001)
  const sorted = fields.map((one) => one.response_time ?? 0).sort((left, right) => left - right)
  for (const [name, rank] of [
    ['p95_latency', 0.95],
    ['p99_latency', 0.99],
  ] as const) {
    const exact = sorted[Math.ceil(rank * count - 1e-9) - 1] ?? 0
    expect(shown[name], name).to.be.within(exact * 0.99, exact * 1.01)
  }
}
