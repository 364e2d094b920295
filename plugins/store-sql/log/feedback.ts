/** Feedback on traces, joined with the entries of its trace within one workspace. */
import type {
  FeedbackAggregation,
  FeedbackFilter,
  FeedbackGroup,
  FeedbackLog,
  JsonObject,
  LogFeedback,
  LogFilter,
} from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { clean, integer } from '../values.ts'
import { all, type Condition, conditionsOf } from './conditions.ts'
import type { LogNames } from './names.ts'
import { hasTrace, packText, readText, traceOfFacts } from './packed-texts.ts'

interface FeedbackRow {
  id: string
  created_at: number
  last_updated_at: number
  organisation_id: number
  workspace_id: number
  trace_id: unknown
  value: number
  weight: number
  metadata: string
  source: LogFeedback['source']
  api_key_id: string | null
  user_id: string | null
}

const feedbackInsert: RowInsert = {
  table: 'log_feedback',
  columns: [
    ...['id', 'created_at', 'last_updated_at', 'organisation_id', 'workspace_id', 'trace_id', 'value'],
    ...['weight', 'metadata', 'source', 'api_key_id', 'user_id'],
  ],
  types: { weight: 'double precision' },
  onConflict: `(id) do update set value = excluded.value, weight = excluded.weight, metadata = excluded.metadata,
    last_updated_at = excluded.last_updated_at`,
}

export function createFeedback({ engine, read, write }: Database, names: LogNames): FeedbackLog {
  const storedTrace = (trace: string) => packText(engine, clean(trace))

  async function conditions(filter: FeedbackFilter): Promise<Condition> {
    const { organisation_id: organisation, workspace_ids: workspaces } = filter
    const numbers = await names.find(read, [
      ...(organisation === undefined ? [] : [organisation]),
      ...(workspaces ?? []),
      ...(filter.own?.workspace_ids ?? []),
    ])
    const number = (name: string) => integer(numbers.get(name) ?? -1)
    const found: Condition[] = []
    if (organisation !== undefined) found.push(sql`organisation_id = ${number(organisation)}`)
    if (workspaces !== undefined) found.push(isAmong('workspace_id', workspaces.map(number)))
    const bound = (values: readonly string[]) => values.map((value) => sql`${clean(value)}`)
    const traces = (values: readonly string[]) => values.map((value) => sql`${storedTrace(value)}`)
    if (filter.ids !== undefined) found.push(isAmong('id', bound(filter.ids)))
    if (filter.trace_ids !== undefined) found.push(isAmong('trace_id', traces(filter.trace_ids)))
    if (filter.from !== undefined) found.push(sql`created_at >= ${integer(Math.floor(filter.from))}`)
    if (filter.own !== undefined) {
      const limited = isAmong('workspace_id', filter.own.workspace_ids.map(number))
      const theirs = isAmong('api_key_id', bound(filter.own.api_key_ids))
      found.push(sql`(not (${limited}) or (api_key_id is not null and ${theirs}))`)
    }
    return all(found)
  }

  return {
    async put(feedback) {
      const numbers = await write(
        async (queries) => {
          const found = await names.number(
            queries,
            feedback.flatMap(({ organisation_id, workspace_id }) => [organisation_id, workspace_id]),
          )
          const rows = feedback.flatMap((one) => [
            one.id,
            one.created_at,
            one.last_updated_at,
            found.get(one.organisation_id) ?? null,
            found.get(one.workspace_id) ?? null,
            storedTrace(one.trace_id),
            one.value,
            one.weight,
            JSON.stringify(one.metadata),
            one.source,
            one.api_key_id,
            one.user_id,
          ])
          await insertRows({ engine, queries }, feedbackInsert, rows)
          return found
        },
        { isDurable: true },
      )
      names.keep(numbers)
    },
    async list(filter, { offset, limit }) {
      const { rows } = await sql<FeedbackRow>`select * from log_feedback where ${await conditions(filter)}
        order by created_at desc, id desc limit ${integer(limit)} offset ${integer(offset)}`.execute(read)
      const texts = await names.read(
        read,
        rows.flatMap(({ organisation_id, workspace_id }) => [organisation_id, workspace_id]),
      )
      return rows.map((row) => ({
        ...row,
        trace_id: readText(row.trace_id),
        organisation_id: texts.get(row.organisation_id) ?? '',
        workspace_id: texts.get(row.workspace_id) ?? '',
        // Written by `put`.
        metadata: JSON.parse(row.metadata) as JsonObject,
      }))
    },
    async count(filter) {
      const { rows } = await sql<{ count: number }>`select count(*) as count from log_feedback
        where ${await conditions(filter)}`.execute(read)
      return rows[0]?.count ?? 0
    },
    aggregate: (filter, aggregation) => aggregateFeedback(filter, aggregation),
  }

  async function aggregateFeedback(
    filter: LogFilter,
    { by, interval }: FeedbackAggregation,
  ): Promise<FeedbackGroup[]> {
    const conditions = all(await conditionsOf(filter, { engine, names, queries: read }))
    const bucket =
      interval === undefined
        ? sql`null`
        : sql`((created_at - ${integer(interval.offsetMs)}) / ${integer(interval.sizeMs)})
            * ${integer(interval.sizeMs)} + ${integer(interval.offsetMs)}`
    const value = by === null ? sql`null` : by === 'value' ? sql`value` : sql`ai_model`
    // The newest entry of a trace represents it.
    const { rows } = await sql<FeedbackGroup>`with traces as (
        select workspace_id, ${traceOfFacts(engine)} as trace, created_at, ai_model, row_number() over (
          partition by workspace_id, ${traceOfFacts(engine)} order by created_at desc, id desc) as place
        from log_facts where ${hasTrace(engine)} and ${conditions})
      select ${bucket} as bucket, ${value} as value, count(*) as total, sum(value * weight) as weighted
      from (select traces.created_at, traces.ai_model, log_feedback.value, log_feedback.weight
        from traces join log_feedback on log_feedback.workspace_id = traces.workspace_id
          and log_feedback.trace_id = traces.trace
        where traces.place = 1) as given group by 1, 2`.execute(read)
    if (by !== 'ai_model') return rows
    const texts = await names.read(
      read,
      rows.flatMap((row) => (row.value === null ? [] : [Number(row.value)])),
    )
    return rows.map((row) => ({
      ...row,
      value: row.value === null ? null : (texts.get(Number(row.value)) ?? null),
    }))
  }
}

const isAmong = (name: string, values: readonly Condition[]): Condition =>
  values.length === 0 ? sql`1 = 0` : sql`${sql.ref(name)} in (${sql.join(values)})`
