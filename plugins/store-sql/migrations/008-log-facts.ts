/**
 * The log in typed columns: facts for lists and analytics, separate contents for single entries, and aggregates of
 * pruned entries. Texts that many entries share are stored as numbers. On Postgres facts and contents are partitioned
 * by day. Entries of the former table have fewer fields and no bodies.
 */
import { sql } from 'kysely'
import { moveFormerEntries } from '../log/former-entries.ts'
import { countTable, type Migration, typesOf } from '../migrate.ts'

export const logFacts: Migration = {
  version: 8,
  name: 'log facts',
  part: 'log',
  countRows: (queries) => countTable(queries, 'log_entries'),
  async up(queries, engine, advance) {
    const { text, json, serial, real, id } = typesOf(engine)
    // On SQLite the table is ordered by id, and an id contains the time of its entry.
    const key = engine === 'sqlite' ? sql`primary key (id)` : sql`primary key (created_at, id)`
    const layout = engine === 'sqlite' ? sql`without rowid` : sql`partition by range (created_at)`
    const statements = [
      sql`create table log_names (id ${serial}, name ${text} not null unique)`,
      sql`create table log_facts (
        id ${id} not null, created_at bigint not null, organisation_id integer not null, workspace_id integer,
        trace_id ${text}, span_id ${text}, parent_span_id ${text}, span_name integer, api_key_id integer,
        key_version integer, user_id integer, end_user integer, endpoint_type integer, request_url integer,
        request_method integer, response_status_code integer, ai_org integer, provider integer,
        provider_id integer, ai_model integer, requested_model integer, mode integer, config integer,
        config_id integer, config_version integer, prompt_slug integer, prompt_id integer,
        prompt_version integer, last_used_option integer, cache_status integer, cache_similarity ${real},
        stream integer, is_partial integer, retry_count integer, hedge_count integer, is_fallback integer,
        sticky integer, req_units integer, res_units integer, total_units integer, reasoning_units integer,
        cached_units integer, cost ${real}, saved_cost ${real}, cost_known integer, is_estimate integer,
        response_time integer, time_to_first_token integer, upstream_time integer, gateway_time ${real},
        guardrail_verdict integer, batch_id integer, mcp_server integer, mcp_method integer, mcp_tool integer,
        source integer,
        latency_bin integer not null, metadata ${json}, ${key}) ${layout}`,
      sql`create index log_facts_trace on log_facts (trace_id)`,
      ...(engine === 'sqlite' ? [] : [sql`create index log_facts_id on log_facts (id)`]),
      sql`create table log_contents (
        id ${id} not null, created_at bigint not null, details ${text} not null, bodies ${text}, inner_bodies ${text},
        ${key}) ${layout}`,
      sql`create table log_aggregates (
        created_at bigint not null, organisation_id integer not null, workspace_id integer,
        api_key_id integer, user_id integer, ai_org integer, ai_model integer, provider integer,
        provider_id integer, config integer, config_id integer, prompt_slug integer, prompt_id integer,
        response_status_code integer, endpoint_type integer, cache_status integer,
        requests bigint not null, cost ${real} not null, saved_cost ${real} not null,
        req_units bigint not null, res_units bigint not null, response_time bigint not null,
        successes bigint not null, errors bigint not null, simple_hits bigint not null,
        semantic_hits bigint not null, cacheable bigint not null, hit_time bigint not null,
        miss_time bigint not null, misses bigint not null, rescued_by_retry bigint not null,
        rescued_by_fallback bigint not null,
        first_at bigint not null, last_at bigint not null, histogram ${text} not null)`,
      sql`create index log_aggregates_time on log_aggregates (created_at)`,
      sql`create table log_feedback (
        id ${text} primary key, created_at bigint not null, last_updated_at bigint not null,
        organisation_id integer not null, workspace_id integer not null, trace_id ${text} not null,
        value integer not null, weight ${real} not null, metadata ${text} not null, source ${text} not null,
        api_key_id ${text}, user_id ${text})`,
      sql`create index log_feedback_trace on log_feedback (workspace_id, trace_id)`,
      sql`create index log_feedback_time on log_feedback (created_at)`,
    ]
    for (const statement of statements) await statement.execute(queries)
    await moveFormerEntries(engine, queries, advance)
    await sql`drop table log_entries`.execute(queries)
  },
}
