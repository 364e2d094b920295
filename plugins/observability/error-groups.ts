/**
 * GET `/logs/error-groups`: the failed requests of a range, grouped by the answering party and the error, as counted by
 * the store.
 */
import type { JsonObject, LogGroup, Route } from '@gateway/contract'
import {
  type Call,
  listAnswer,
  listSchema,
  type ManagementContext,
  nullable,
  pagingOf,
  plainRoute,
  toIso,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { Type } from '@sinclair/typebox'
import { filterProperties } from './filters.ts'
import { listFilter, scopeQuery } from './logs.ts'
import { requireSight } from './sight.ts'

const firstError = 400
const by = ['response_status_code', 'error_code', 'ai_org', 'ai_model', 'endpoint_type'] as const

const text = nullable(Type.String())

const group = Type.Object({
  object: Type.Literal('log-error-group'),
  status_code: nullable(Type.Integer()),
  error_code: text,
  ai_org: nullable(
    Type.String({ description: 'Who was called last. Null: the gateway answered before any call.' }),
  ),
  ai_model: text,
  endpoint_type: text,
  requests: Type.Integer(),
  first_seen: Type.String(),
  last_seen: Type.String(),
})

export const errorGroupRoute = (context: ManagementContext<'logEntries' | 'logs'>): Route =>
  plainRoute(context, {
    method: 'GET',
    path: '/v1/logs/error-groups',
    operationId: 'logErrorGroupList',
    summary:
      'Groups failed requests by status, error code, provider, model and endpoint, the most frequent first',
    tag: 'Logs',
    scope: 'logs.list',
    checksScope: true,
    authorise: (call) => requireSight(call, 'logs.list'),
    query: Type.Object({ ...pageQuery.properties, ...scopeQuery, ...filterProperties }),
    answer: listSchema(group),
    audit: { action: 'list', resource_type: 'log' },
    handle: listErrorGroups,
  })

async function listErrorGroups(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const filter = await listFilter(call)
  const { min = firstError, ...rest } = filter.ranges?.response_status_code ?? {}
  const failed = {
    ...filter,
    ranges: { ...filter.ranges, response_status_code: { ...rest, min: Math.max(firstError, min) } },
  }
  const found = await call.context.logEntries.aggregate(failed, { by, totals: ['requests'] })
  const sorted = [...found].sort((one, other) => other.requests - one.requests || other.last_at - one.last_at)
  const paging = pagingOf(call.query)
  const begin = paging.current_page * paging.page_size
  return listAnswer(sorted.slice(begin, begin + paging.page_size).map(present), sorted.length, paging)
}

function present({ values, requests, first_at, last_at }: LogGroup): JsonObject {
  const [status = null, code = null, organisation = null, model = null, endpoint = null] = values
  return {
    object: 'log-error-group',
    status_code: status,
    error_code: code,
    ai_org: organisation,
    ai_model: model,
    endpoint_type: endpoint,
    requests,
    first_seen: toIso(first_at),
    last_seen: toIso(last_at),
  }
}
