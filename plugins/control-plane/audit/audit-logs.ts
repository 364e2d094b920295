/** GET `/audit-logs` (management.md §21), and the job that removes expired records. */

import type {
  DocumentFilter,
  Job,
  JsonObject,
  Route,
  ServiceContext,
  StoredDocument,
} from '@gateway/contract'
import { auditFilters, eachRetention, kinds } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  commaList,
  idempotencyMs,
  invalidQuery,
  isId,
  listAnswer,
  listSchema,
  type ManagementContext,
  nullable,
  orderOf,
  pagingOf,
  plainRoute,
  toIso,
} from '../engine/index.ts'
import { pageQuery, parseTime } from '../shared/index.ts'

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 2048 }))

const query = Type.Object({
  ...pageQuery.properties,
  sort: Type.Optional(Type.Union(['created_at', 'last_updated_at', 'name'].map((by) => Type.Literal(by)))),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
  start_time: text,
  end_time: text,
  workspace_id: text,
  organisation_id: text,
  ...Object.fromEntries(auditFilters.map((name) => [name, text])),
})

const textOrNull = nullable(Type.String())
const anything = Type.Unknown()

const record = Type.Object({
  id: Type.String(),
  object: Type.Literal('audit-log'),
  timestamp: Type.String(),
  method: textOrNull,
  uri: textOrNull,
  request_id: textOrNull,
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: textOrNull,
  user_id: textOrNull,
  user_type: Type.String(),
  organisation_id: textOrNull,
  workspace_id: textOrNull,
  changes: Type.Record(Type.String(), Type.Array(anything, { minItems: 2, maxItems: 2 })),
  request_body: anything,
  query_params: anything,
  response_status_code: Type.Integer(),
  client_ip: textOrNull,
  details: Type.Optional(anything),
})

const dayMs = 86_400_000
const defaultDays = 30

export function auditRoutes(context: ManagementContext): Route[] {
  return [
    plainRoute(context, {
      method: 'GET',
      path: '/v1/audit-logs',
      operationId: 'auditLogList',
      summary: 'Lists audit entries of changes and refused attempts',
      tag: 'Audit',
      scope: 'audit_logs.list',
      query,
      answer: listSchema(record),
      audit: { action: 'list', resource_type: 'audit-log' },
      handle: list,
    }),
  ]
}

async function list(call: Call): Promise<JsonObject> {
  await call.require(['audit_logs.list'], null)
  const paging = pagingOf(call.query)
  const { total, documents } = await call.documents.list(kinds.audit, await filterOf(call), {
    ...orderOf(call.query),
    offset: paging.current_page * paging.page_size,
    limit: paging.page_size,
  })
  return listAnswer(documents.map(present), total, paging)
}

async function filterOf(call: Call): Promise<DocumentFilter> {
  const to = timeOf(call, 'end_time') ?? call.nowMs + 1
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    created_from: timeOf(call, 'start_time') ?? to - defaultDays * dayMs,
    created_to: to,
  }
  const { workspace_id: named } = call.query
  if (named !== undefined) filter.workspace_ids = [await workspaceIdOf(call, String(named))]
  const attributes: Record<string, readonly string[]> = {}
  for (const name of auditFilters) {
    const value = call.query[name]
    if (value !== undefined) attributes[name] = valuesOf(name, String(value))
  }
  return Object.keys(attributes).length === 0 ? filter : { ...filter, attributes }
}

/** Audit records of a workspace stay readable after it is archived. */
async function workspaceIdOf(call: Call, named: string): Promise<string> {
  const found = isId(named) ? await call.documents.get(kinds.workspace, named) : null
  const isGone = found?.status === 'archived' && found.organisation_id === call.organisationId
  return isGone && call.seesAllWorkspaces() ? named : (await call.workspace(named)).id
}

/** Filters with a fixed set of values or a fixed form. */
const formOf: Readonly<Record<string, { form: RegExp; says: string }>> = {
  method: { form: /^(GET|POST|PUT|PATCH|DELETE)$/, says: 'GET, POST, PUT, PATCH, DELETE' },
  user_type: { form: /^(user|api_key|scim|system)$/, says: 'user, api_key, scim, system' },
  response_status_code: { form: /^[1-5]\d\d$/, says: 'HTTP statuses' },
}

function valuesOf(name: string, written: string): readonly string[] {
  // A path may contain a comma.
  if (name === 'uri') return [written]
  const values = commaList(name === 'method' ? written.toUpperCase() : written)
  const known = formOf[name]
  if (known !== undefined && !(values.length > 0 && values.every((value) => known.form.test(value)))) {
    throw invalidQuery(name, `must be a comma-separated list of ${known.says}`)
  }
  return values
}

function timeOf(call: Call, name: 'start_time' | 'end_time'): number | null {
  const written = call.query[name]
  if (written === undefined) return null
  const time = parseTime(String(written))
  if (time === null) throw invalidQuery(name, 'must be an ISO 8601 time')
  return time
}

const present = (document: StoredDocument): JsonObject => ({
  id: document.id,
  object: 'audit-log',
  timestamp: toIso(document.created_at),
  organisation_id: document.organisation_id,
  workspace_id: document.workspace_id,
  ...document.data,
})

const removedAtOnce = 500

/** Removes audit records after their retention period, and idempotency records after a day. */
export function retentionJob(context: ServiceContext<'auditRetentionDays' | 'documents'>): Job {
  const { documents } = context
  async function prune(kind: string, filter: DocumentFilter): Promise<void> {
    for (;;) {
      const { documents: old } = await documents.list(kind, filter, {
        sort: 'created_at',
        order: 'asc',
        offset: 0,
        limit: removedAtOnce,
      })
      if (old.length > 0) await documents.commit(old.map(({ id }) => ({ op: 'remove', kind, id })))
      if (old.length < removedAtOnce) return
    }
  }
  return {
    name: 'control-plane-retention',
    intervalMs: 3_600_000,
    async run(nowMs) {
      const longest = context.auditRetentionDays()
      await prune(kinds.audit, { created_to: nowMs - longest * dayMs })
      for await (const { organisationId, days } of eachRetention(documents, 'audit_days')) {
        if (days >= longest) continue
        await prune(kinds.audit, { organisation_id: organisationId, created_to: nowMs - days * dayMs })
      }
      await prune(kinds.idempotency, { created_to: nowMs - idempotencyMs })
    },
  }
}
