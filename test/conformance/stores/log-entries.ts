/** Entries of logs for tests: written out, and at random. */
import type { LogEntry, LogFields } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import fc from 'fast-check'

export const entryAt = (created_at: number, some: Partial<LogEntry> = {}): LogEntry => ({
  id: timeOrderedId(created_at),
  created_at,
  organisation_id: 'organisation',
  workspace_id: 'workspace',
  fields: {},
  metadata: {},
  details: {},
  bodies: null,
  ...some,
})

const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null })

const fields: fc.Arbitrary<Partial<LogFields>> = fc.record({
  trace_id: fc.constantFrom('t1', 't2', 't3', 't4'),
  api_key_id: orNull(fc.constantFrom('key-a', 'key-b')),
  end_user: orNull(fc.constantFrom('ann', 'bob', 'cy')),
  ai_model: orNull(fc.constantFrom('small', 'large', 'räre "model"')),
  ai_org: orNull(fc.constantFrom('one', 'two')),
  response_status_code: fc.constantFrom(200, 201, 246, 299, 400, 429, 446, 500),
  cache_status: fc.constantFrom('DISABLED', 'MISS', 'HIT', 'REFRESH', 'SEMANTIC HIT', 'SEMANTIC MISS'),
  retry_count: fc.nat({ max: 2 }),
  is_fallback: fc.boolean(),
  req_units: fc.nat({ max: 5000 }),
  res_units: fc.nat({ max: 5000 }),
  cost: orNull(fc.double({ min: 0, max: 50, noNaN: true })),
  saved_cost: orNull(fc.double({ min: 0, max: 5, noNaN: true })),
  response_time: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 100_000 })),
})

/** Entries between two times, in any order. */
export const someEntries = (from: number, to: number): fc.Arbitrary<LogEntry[]> =>
  fc.array(
    fc
      .record({
        created_at: fc.integer({ min: from, max: to - 1 }),
        workspace_id: fc.constantFrom('ws-1', 'ws-2'),
        fields,
        metadata: fc.constantFrom<Record<string, string>>({}, { team: 'a' }, { team: 'b', 'qu"ote\\': 'x' }),
      })
      .map(({ created_at, ...some }) => entryAt(created_at, some)),
    { maxLength: 60 },
  )
