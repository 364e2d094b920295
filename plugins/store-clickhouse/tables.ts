/**
 * The tables, generated from the columns of the domain: facts for lists and analytics, separate contents for single
 * entries, hourly aggregates of pruned entries, and feedback. Facts and contents are partitioned by day and sorted by
 * organisation and time. Statements may run again at every start and add what is missing.
 * https://clickhouse.com/docs/engines/table-engines/mergetree-family/mergetree
 */
import type { LogColumnKind } from '@gateway/contract'
import { aggregateFields, columnKind, logFieldNames, totalNames } from '@gateway/domain'

const shared = 'LowCardinality(Nullable(String))'

const typeByKind: Readonly<Record<LogColumnKind, string>> = {
  name: shared,
  text: 'Nullable(String) CODEC(ZSTD(1))',
  integer: 'Nullable(Int32) CODEC(ZSTD(1))',
  real: 'Nullable(Float64) CODEC(ZSTD(1))',
  boolean: 'Nullable(Bool)',
}

/** The nullable types in the form of parameters. */
export const parameterTypes: Readonly<Record<LogColumnKind, string>> = {
  name: 'String',
  text: 'String',
  integer: 'Int32',
  real: 'Float64',
  boolean: 'Bool',
}

const keyColumns = `id UUID CODEC(ZSTD(1)), created_at Int64 CODEC(Delta, ZSTD(1)),
  organisation_id LowCardinality(String), workspace_id ${shared}`

const dayOf = (column: string) => `toYYYYMMDD(fromUnixTimestamp64Milli(${column}, 'UTC'))`

/** The expiry of rows in these tables. */
export const endOf = (column: string, days: number) =>
  `toDateTime(intDiv(${column}, 1000), 'UTC') + toIntervalDay(${days})`

const byDay = `engine = MergeTree partition by ${dayOf('created_at')} order by (organisation_id, created_at, id)
  settings ttl_only_drop_parts = 1`

/** The maximum time that entries wait on a disk. */
const erasureDays = 90

/** All totals are counts except the costs. */
const totalType = (name: string) => (name.endsWith('cost') ? 'Float64' : 'Int64')

export const tableStatements: readonly string[] = [
  `create table if not exists log_facts (${keyColumns},
    ${logFieldNames.map((name) => `${name} ${typeByKind[columnKind(name)]}`).join(', ')},
    latency_bin Int16, metadata Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    index trace_index trace_id type bloom_filter(0.01) granularity 1) ${byDay}`,
  // Columns added after the table was created.
  `alter table log_facts ${logFieldNames
    .map((name) => `add column if not exists ${name} ${typeByKind[columnKind(name)]}`)
    .join(', ')}`,
  `create table if not exists log_contents (${keyColumns}, details String CODEC(ZSTD(1)),
    bodies Nullable(String) CODEC(ZSTD(1)), inner_bodies Nullable(String) CODEC(ZSTD(1))) ${byDay}`,
  `create table if not exists log_aggregates (created_at Int64, organisation_id LowCardinality(String),
    workspace_id ${shared}, ${aggregateFields.map((name) => `${name} ${typeByKind[columnKind(name)]}`).join(', ')},
    ${totalNames.map((name) => `${name} ${totalType(name)}`).join(', ')}, first_at Int64, last_at Int64,
    bins Array(Int16), counts Array(Int64), removal_id UUID)
    engine = MergeTree partition by toYYYYMM(fromUnixTimestamp64Milli(created_at, 'UTC'))
    order by (organisation_id, created_at)`,
  // Columns added after the table was created.
  `alter table log_aggregates add column if not exists removal_id UUID, ${aggregateFields
    .map((name) => `add column if not exists ${name} ${typeByKind[columnKind(name)]}`)
    .join(', ')}`,
  `create table if not exists log_erasures (filter String CODEC(ZSTD(1)), erased_at Int64)
    engine = ReplacingMergeTree(erased_at) order by filter ttl ${endOf('erased_at', erasureDays)}`,
  // The row with the highest state is used.
  `create table if not exists log_removals (id UUID, removed String CODEC(ZSTD(1)), state UInt8, put_at Int64)
    engine = ReplacingMergeTree(state) order by id ttl ${endOf('put_at', erasureDays)}`,
  // The newest row of an id is used.
  `create table if not exists log_feedback (id String, created_at Int64, last_updated_at Int64,
    organisation_id LowCardinality(String), workspace_id String, trace_id String, value Int8, weight Float64,
    metadata String CODEC(ZSTD(1)), source LowCardinality(String), api_key_id Nullable(String),
    user_id Nullable(String))
    engine = ReplacingMergeTree(last_updated_at) order by (organisation_id, workspace_id, trace_id, id)`,
]
