/**
 * POST `/logs` (management.md section 18): log entries of calls made by other programs. All items are stored, or none;
 * nothing is charged. Usage and cost are computed from the answer, with the prices of the workspace.
 */
import {
  type EndpointId,
  type Fault,
  faultsError,
  isObject,
  type Json,
  type JsonObject,
  type LogEntry,
  type LogFields,
  type Route,
} from '@gateway/contract'
import { type Call, type ManagementContext, plainRoute } from '@gateway/control-plane/engine'
import { parseTime } from '@gateway/control-plane/shared'
import {
  keptBody,
  keptHeaders,
  keptMetadata,
  keptSide,
  keptUrl,
  redactUrl,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { workspacesOf } from './feedback.ts'
import { scopeQuery } from './logs.ts'
import { itemsOf, oneOrMany } from './one-or-many.ts'
import { dayMs, retentionOf } from './retention.ts'

const headers = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const anything = Type.Unknown()

const item = Type.Object(
  {
    request: Type.Object(
      {
        url: Type.String({ minLength: 1, maxLength: 2048 }),
        method: Type.Optional(Type.String({ maxLength: 32 })),
        headers,
        provider: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        body: anything,
      },
      { additionalProperties: false },
    ),
    response: Type.Object(
      {
        status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, default: 200 })),
        headers,
        body: anything,
        response_time: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: dayMs,
            description: 'The duration of the call in milliseconds.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    metadata: Type.Optional(Type.Record(Type.String({ maxLength: 255 }), Type.String())),
    created_at: Type.Optional(
      Type.String({ description: 'The time of the call in ISO 8601. Default: now.' }),
    ),
    workspace_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const itemList = Type.Array(item, { minItems: 1, maxItems: 100 })

export function ingestRoutes(context: ManagementContext<'logEntries' | 'logs'>): Route[] {
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/logs',
      operationId: 'logCreate',
      summary: 'Adds log entries of calls that other programs made',
      tag: 'Logs',
      scope: 'logs.write',
      listener: 'main',
      bodyLimit: 'server.body_limit',
      query: Type.Object(scopeQuery),
      body: Type.Union([item, itemList]),
      checkBody: oneOrMany(context, item, itemList),
      answer: Type.Object({ status: Type.Literal('success'), ids: Type.Array(Type.String()) }),
      audit: { action: 'create', resource_type: 'log' },
      handle: create,
    }),
  ]
}

const aheadMs = 5 * 60_000

async function create(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const items = itemsOf(call)
  const workspaceIds = await workspacesOf(call, ['logs.write'], items)
  const times = await readTimes(call, items)
  const entries = await Promise.all(
    items.map((one, index) =>
      entryOf(call, workspaceIds[index] ?? call.identity.workspaceId, {
        item: one,
        createdAt: times[index] ?? call.nowMs,
      }),
    ),
  )
  await call.context.logEntries.append(entries, { isDurable: true })
  return { status: 'success', ids: entries.map(({ id }) => id) }
}

async function readTimes(call: Call<'logs'>, items: readonly JsonObject[]): Promise<number[]> {
  const { logsFrom } = await retentionOf(call)
  const faults: Fault[] = []
  const isList = Array.isArray(call.sent)
  const times = items.map(({ created_at }, index) => {
    if (created_at === undefined) return call.nowMs
    const time = parseTime(String(created_at).trim())
    const param = `${isList ? `/${index}` : ''}/created_at`
    const fault = (message: string) =>
      faults.push({ param, code: 'invalid_body', message: `${param} ${message}` })
    if (time === null) fault('must be an ISO 8601 time')
    else if (time < logsFrom) fault('must not be before the start of the retention of logs')
    else if (time > call.nowMs + aheadMs) fault('must not be more than 5 minutes in the future')
    return time ?? call.nowMs
  })
  if (faults.length > 0) throw faultsError(faults)
  return times
}

/** The last segments of a URL, and the endpoint that they belong to. */
const endpointPaths: readonly [end: string, endpoint: EndpointId][] = [
  ['/chat/completions', 'chatComplete'],
  ['/completions', 'complete'],
  ['/embeddings', 'embed'],
  ['/messages', 'messages'],
  ['/responses', 'createModelResponse'],
  ['/images/generations', 'imageGenerate'],
  ['/rerank', 'rerank'],
  [':generateContent', 'generateContent'],
  [':streamGenerateContent', 'generateContent'],
  [':embedContent', 'embedContent'],
  [':batchEmbedContents', 'batchEmbedContents'],
]

/** Spellings of metadata members that have their own column. */
const tracing: Readonly<Record<string, 'trace_id' | 'span_id' | 'parent_span_id' | 'span_name'>> = {
  trace_id: 'trace_id',
  traceId: 'trace_id',
  span_id: 'span_id',
  spanId: 'span_id',
  parent_span_id: 'parent_span_id',
  parentSpanId: 'parent_span_id',
  span_name: 'span_name',
  spanName: 'span_name',
}

const maxTracingChars = 128

function splitMetadata(written: Json | undefined) {
  const spans: Partial<Record<(typeof tracing)[string], string>> = {}
  const metadata: Record<string, string> = {}
  for (const [key, value] of Object.entries(isObject(written) ? written : {})) {
    const column = Object.hasOwn(tracing, key) ? tracing[key] : undefined
    if (column === undefined) metadata[key] = String(value)
    else if (value !== '') spans[column] = String(value).slice(0, maxTracingChars)
  }
  return { spans, metadata }
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** The endpoint whose path a URL ends with; `proxy` for any other URL. */
const endpointOf = (path: string) =>
  endpointPaths.find(([end]) => path.replace(/\/$/, '').endsWith(end))?.[1] ?? ('proxy' as const)

/** The columns about the caller. */
const callerFields = ({ identity }: Call) => ({
  api_key_id: identity.keyId,
  key_version: identity.keyVersion,
  user_id: identity.userId,
})

/** The columns about the trace; a call without a trace begins one. */
const traceFields = (spans: ReturnType<typeof splitMetadata>['spans']) => ({
  trace_id: spans.trace_id ?? crypto.randomUUID(),
  span_id: spans.span_id ?? null,
  parent_span_id: spans.parent_span_id ?? null,
  span_name: spans.span_name ?? null,
})

/** The columns about what only the gateway's own calls can have. */
const withoutGateway = {
  cache_status: 'DISABLED',
  is_partial: false,
  retry_count: 0,
  hedge_count: 0,
  is_fallback: false,
  is_estimate: false,
  source: 'custom',
} satisfies Partial<LogFields>

const bodiesOf = (request: string, response: string): LogEntry['bodies'] => ({
  request,
  response,
  transformed_request: null,
  original_response: null,
})

async function entryOf(
  call: Call<'logs'>,
  workspaceId: string,
  { item, createdAt }: { item: JsonObject; createdAt: number },
): Promise<LogEntry> {
  const { logs } = call.context
  const settings = logs.settings()
  const request = isObject(item.request) ? item.request : {}
  const response = isObject(item.response) ? item.response : {}
  const [path = '', search = ''] = splitUrl(String(request.url).trim())
  const endpoint = endpointOf(path)
  const { isKnown, cents, ...used } = await logs.price({
    workspaceId,
    provider: textOf(request.provider)?.trim() ?? null,
    endpoint,
    request: request.body ?? null,
    response: response.body ?? null,
    atMs: createdAt,
  })
  const { spans, metadata } = splitMetadata(item.metadata)
  const asked = isObject(request.body) ? request.body : {}
  const sent = keptBody(request.body ?? null, settings.maxBodyBytes)
  const answered = keptBody(response.body ?? null, settings.maxBodyBytes)
  const status = typeof response.status === 'number' ? response.status : 200
  const method = textOf(request.method)
  const url = keptUrl(redactUrl(path), search, settings)
  const sideOf = (members: JsonObject, { headers }: JsonObject, { isTruncated }: typeof sent) =>
    keptSide({ ...members, headers: headersOf(headers), body_truncated: isTruncated }, settings)
  return {
    id: timeOrderedId(createdAt),
    created_at: createdAt,
    organisation_id: call.organisationId,
    workspace_id: workspaceId,
    fields: {
      ...used,
      ...traceFields(spans),
      ...callerFields(call),
      ...withoutGateway,
      end_user: metadata._user ?? textOf(asked.user),
      endpoint_type: endpoint,
      request_url: url,
      request_method: method,
      response_status_code: status,
      stream: asked.stream === true,
      total_units: used.req_units + used.res_units,
      cost: Math.round(cents * 1e6) / 1e6,
      cost_known: isKnown,
      response_time: typeof response.response_time === 'number' ? response.response_time : 0,
    },
    metadata: keptMetadata(metadata, settings),
    details: {
      request: sideOf({ url, method }, request, sent),
      response: sideOf({ status }, response, answered),
      attempts: [],
      hook_results: null,
    },
    bodies: settings.bodies === 'full' ? bodiesOf(sent.text, answered.text) : null,
  }
}

function splitUrl(url: string): [path: string, search: string] {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)]
}

function headersOf(written: Json | undefined): JsonObject {
  const entries = Object.entries(isObject(written) ? written : {})
  return keptHeaders(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))
}
