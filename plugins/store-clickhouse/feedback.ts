/** Feedback on traces, joined with the entries of its trace within one workspace. */
import {
  type FeedbackFilter,
  type FeedbackGroup,
  type FeedbackLog,
  type JsonObject,
  type LogFeedback,
  wellFormed,
} from '@gateway/contract'
import { bucketExpression } from './aggregate.ts'
import { type Bound, createBound } from './bound.ts'
import { all, conditionsOf } from './conditions.ts'
import type { Connection } from './connection.ts'

export interface FeedbackRow extends Omit<LogFeedback, 'metadata'> {
  metadata: string
}

const feedbackRowOf = (one: LogFeedback): FeedbackRow => ({
  ...one,
  trace_id: wellFormed(one.trace_id),
  metadata: JSON.stringify(one.metadata),
})

export function createFeedback(
  connection: Connection,
  put: (rows: readonly FeedbackRow[]) => Promise<void>,
): FeedbackLog {
  return {
    put: (feedback) => put(feedback.map(feedbackRowOf)),
    async list(filter, { offset, limit }) {
      const bound = createBound()
      const rows = await connection.rows<FeedbackRow>(
        `select * from log_feedback final where ${conditions(filter, bound)} order by created_at desc, id desc
        limit ${bound.value('UInt64', limit)} offset ${bound.value('UInt64', offset)}`,
        bound.parameters,
      )
      // Written by `feedbackRowOf`.
      return rows.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) as JsonObject }))
    },
    async count(filter) {
      const bound = createBound()
      const [row] = await connection.rows<{ found: number }>(
        `select count() as found from log_feedback final where ${conditions(filter, bound)}`,
        bound.parameters,
      )
      return row?.found ?? 0
    },
    async aggregate(filter, { by, interval }) {
      const bound = createBound()
      const where = all([...conditionsOf(filter, { bound }), 'isNotNull(trace_id)'])
      const value = by === null ? 'null' : by === 'value' ? 'value' : 'model'
      const organisation =
        filter.organisation_id === undefined
          ? '1'
          : `organisation_id = ${bound.value('String', filter.organisation_id)}`
      // The newest entry of a trace represents it.
      const rows = await connection.rows<FeedbackGroup & { group_value: FeedbackGroup['value'] }>(
        `select ${bucketExpression(bound, interval, 'newest_at')} as bucket, ${value} as group_value, count() as total,
          sum(value * weight) as weighted
        from (select ifNull(workspace_id, '') as workspace, assumeNotNull(trace_id) as trace,
            max(created_at) as newest_at, argMax(tuple(ai_model), (created_at, toString(id))).1 as model
          from log_facts where ${where} group by workspace, trace) as traces
        join (select workspace_id as workspace, trace_id as trace, value, weight from log_feedback final
          where ${organisation}) as given using (workspace, trace)
        group by bucket, group_value`,
        bound.parameters,
      )
      return rows.map(({ bucket, group_value, total, weighted }) => ({
        bucket,
        value: group_value,
        total,
        weighted,
      }))
    },
  }
}

function conditions(filter: FeedbackFilter, bound: Bound): string {
  const { organisation_id: organisation, from, own } = filter
  const found: string[] = []
  const among = (column: string, values: readonly string[]) =>
    `has(${bound.value('Array(String)', values)}, ${column})`
  if (organisation !== undefined) found.push(`organisation_id = ${bound.value('String', organisation)}`)
  if (filter.workspace_ids !== undefined) found.push(among('workspace_id', filter.workspace_ids))
  if (filter.ids !== undefined) found.push(among('id', filter.ids))
  if (filter.trace_ids !== undefined) found.push(among('trace_id', filter.trace_ids.map(wellFormed)))
  if (from !== undefined) found.push(`created_at >= ${bound.value('Int64', Math.ceil(from))}`)
  if (own !== undefined)
    found.push(
      `not ${among('workspace_id', own.workspace_ids)} or ${among(`ifNull(api_key_id, '')`, own.api_key_ids)}`,
    )
  return all(found)
}
