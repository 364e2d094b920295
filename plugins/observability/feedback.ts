/** POST, GET and PUT of `/feedback` (management.md section 18): feedback on a trace, within one workspace. */
import { isObject, type JsonObject, type LogFeedback, type Route } from '@gateway/contract'
import {
  type Call,
  isId,
  listAnswer,
  listSchema,
  type ManagementContext,
  missingScope,
  notFound,
  pagingOf,
  plainRoute,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { timeOrderedId } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { scopeQuery } from './logs.ts'
import { itemsOf, oneOrMany } from './one-or-many.ts'
import { feedbackSchema, presentFeedback } from './present.ts'
import { retentionOf } from './retention.ts'
import { requireSight, sightOf } from './sight.ts'

const content = {
  value: Type.Integer({ minimum: -10, maximum: 10 }),
  weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  metadata: Type.Optional(Type.Record(Type.String({ maxLength: 255 }), Type.Unknown())),
}

const item = Type.Object(
  {
    trace_id: Type.String({ minLength: 1, maxLength: 255 }),
    ...content,
    workspace_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const itemList = Type.Array(item, { minItems: 1, maxItems: 100 })

const changes = Type.Object(
  { value: Type.Optional(content.value), weight: content.weight, metadata: content.metadata },
  { additionalProperties: false, minProperties: 1 },
)

const answer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String(),
  feedback_ids: Type.Array(Type.String()),
})

const scopes = ['feedbacks.write', 'completions.write'] as const
const audit = (action: string) => ({ action, resource_type: 'feedback' })

export function feedbackRoutes(context: ManagementContext<'logEntries' | 'logs'>): Route[] {
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/feedback',
      operationId: 'feedbackCreate',
      summary: 'Creates feedback on traces',
      tag: 'Logs',
      scope: scopes,
      listener: 'main',
      query: Type.Object(scopeQuery),
      body: Type.Union([item, itemList]),
      checkBody: oneOrMany(context, item, itemList),
      answer,
      audit: audit('create'),
      handle: create,
    }),
    plainRoute(context, {
      method: 'PUT',
      path: '/v1/feedback/:id',
      operationId: 'feedbackUpdate',
      summary: 'Changes feedback',
      tag: 'Logs',
      scope: scopes,
      listener: 'main',
      query: Type.Object(scopeQuery),
      body: changes,
      answer,
      // An unknown id is 404 for any body.
      authorise: async (call) => void (await findFeedback(call)),
      audit: audit('update'),
      handle: update,
    }),
    plainRoute(context, {
      method: 'GET',
      path: '/v1/feedback',
      operationId: 'feedbackList',
      summary: 'Lists feedback, newest first',
      tag: 'Logs',
      scope: 'feedbacks.read',
      checksScope: true,
      authorise: (call) => requireSight(call, 'feedbacks.read'),
      query: Type.Object({ ...pageQuery.properties, ...scopeQuery, trace_id: Type.Optional(Type.String()) }),
      answer: listSchema(feedbackSchema),
      audit: audit('list'),
      handle: list,
    }),
  ]
}

/** The workspace that each item of a body is written to: the item's own, or {@link writingWorkspace}. */
export async function workspacesOf(
  call: Call,
  scopes: readonly string[],
  items: readonly JsonObject[],
): Promise<string[]> {
  const isList = Array.isArray(call.sent)
  const found = new Map<string | null, string>()
  const ids: string[] = []
  for (const [index, { workspace_id: own }] of items.entries()) {
    const named = typeof own === 'string' ? own : null
    const param = `${isList ? `/${index}` : ''}/workspace_id`
    const id = found.get(named) ?? (await writingWorkspace(call, scopes, { named, param }))
    found.set(named, id)
    ids.push(id)
  }
  return ids
}

interface WritingWorkspaceOptions {
  named?: string | null
  param?: string
}

/** The workspace that the caller writes to: the named one, or that of the query, or the credential's own. */
async function writingWorkspace(
  call: Call,
  scopes: readonly string[],
  { named = null, param = 'query/workspace_id' }: WritingWorkspaceOptions = {},
): Promise<string> {
  const asked = named ?? call.request.query.workspace_id
  const id =
    asked === undefined || asked === ''
      ? call.identity.workspaceId
      : (await call.workspace(asked, named === null ? 'query/workspace_id' : param)).id
  for (const scope of scopes) if (await call.holds(scope, id)) return id
  throw missingScope(scopes)
}

async function create(call: Call<'logEntries'>): Promise<JsonObject> {
  const items = itemsOf(call)
  const workspaceIds = await workspacesOf(call, scopes, items)
  const { identity, nowMs } = call
  const feedback = items.map(
    (one, index): LogFeedback => ({
      id: timeOrderedId(nowMs),
      created_at: nowMs,
      last_updated_at: nowMs,
      organisation_id: call.organisationId,
      workspace_id: workspaceIds[index] ?? identity.workspaceId,
      trace_id: String(one.trace_id).trim(),
      value: Number(one.value),
      weight: typeof one.weight === 'number' ? one.weight : 1,
      metadata: isObject(one.metadata) ? one.metadata : {},
      source: 'api',
      api_key_id: identity.keyId,
      user_id: identity.userId,
    }),
  )
  await call.context.logEntries.feedback.put(feedback)
  return {
    status: 'success',
    message: 'Feedback was stored.',
    feedback_ids: feedback.map(({ id }) => id),
  }
}

async function findFeedback(call: Call<'logEntries'>): Promise<LogFeedback> {
  const workspaceId = await writingWorkspace(call, scopes)
  const { id = '' } = call.request.params
  const place = { organisation_id: call.organisationId, workspace_ids: [workspaceId] }
  const page = { offset: 0, limit: 1 }
  const [found] = isId(id) ? await call.context.logEntries.feedback.list({ ...place, ids: [id] }, page) : []
  if (found === undefined) throw notFound('path/id', 'feedback')
  return found
}

async function update(call: Call<'logEntries'>): Promise<JsonObject> {
  const present = await findFeedback(call)
  const { value, weight, metadata } = call.body
  await call.context.logEntries.feedback.put([
    {
      ...present,
      value: typeof value === 'number' ? value : present.value,
      weight: typeof weight === 'number' ? weight : present.weight,
      metadata: isObject(metadata) ? metadata : present.metadata,
      last_updated_at: call.nowMs,
    },
  ])
  return { status: 'success', message: 'Feedback was changed.', feedback_ids: [present.id] }
}

async function list(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const sight = await sightOf(call, 'feedbacks.read')
  const paging = pagingOf(call.query)
  const { feedback } = call.context.logEntries
  const { trace_id: trace } = call.query
  const filter = {
    organisation_id: call.organisationId,
    from: (await retentionOf(call)).logsFrom,
    ...(sight.workspace_ids === undefined
      ? {}
      : { workspace_ids: sight.workspace_ids.filter((id) => id !== null) }),
    ...(trace === undefined ? {} : { trace_ids: [String(trace)] }),
    ...(sight.own === undefined ? {} : { own: sight.own }),
  }
  const total = await feedback.count(filter)
  const offset = paging.current_page * paging.page_size
  const found = await feedback.list(filter, { offset, limit: paging.page_size })
  return listAnswer(found.map(presentFeedback), total, paging)
}
