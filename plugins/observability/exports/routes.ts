/**
 * `/logs/exports` (management.md section 18): created as drafts, started, stopped, and downloaded with a signed link.
 */
import { randomBytes } from 'node:crypto'
import {
  asJson,
  type DocumentDraft,
  GatewayError,
  isObject,
  type Job,
  type JsonObject,
  type LogFilter,
  type Route,
  type ServiceContext,
} from '@gateway/contract'
import {
  type Call,
  conflict,
  forbidden,
  isId,
  listAnswer,
  type ManagementContext,
  notFound,
  type PlainRoute,
  pagingOf,
  plainRoute,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { type AuditNote, effectiveSettings, kinds, timeOrderedId } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { filterProperties, readFilters, withTimes } from '../filters.ts'
import { scopeQuery } from '../logs.ts'
import { dayMs, retentionOf } from '../retention.ts'
import { requireSight, type Sight, sightOf } from '../sight.ts'
import {
  type ExportData,
  type ExportDocument,
  type ExportStatus,
  exportFields,
  exportKind,
  exportListSchema,
  exportSchema,
  filterText,
  presentExport,
  showsBodies,
} from './data.ts'
import { blobKey, createExportRunner, type ExportRunner } from './run.ts'
import { isSigned, recordOfExport, signedUrl } from './signed-url.ts'

const maxRows = 50_000
const anything = Type.Unknown()

const filters = Type.Object(
  {
    ...Object.fromEntries(Object.keys(filterProperties).map((name) => [name, Type.Optional(anything)])),
    workspace_id: Type.Optional(Type.String()),
    page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: maxRows, default: maxRows })),
    current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  },
  // Additional members are accepted so that an unknown filter is reported at its own path, like every error of a
  // filter.
  { additionalProperties: true },
)
const requested = Type.Array(Type.Union(exportFields.map((name) => Type.Literal(name))), {
  minItems: 1,
  uniqueItems: true,
})
const description = Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]))
const place = { workspace_id: Type.Optional(Type.String()), organisation_id: Type.Optional(Type.String()) }

const creation = Type.Object(
  { filters, requested_data: requested, description, ...place },
  { additionalProperties: false },
)
const changes = Type.Object(
  {
    filters: Type.Optional(filters),
    requested_data: Type.Optional(requested),
    description,
    workspace_id: Type.Optional(Type.String({ description: 'The workspace of the export, by id or slug.' })),
  },
  { additionalProperties: false, minProperties: 1 },
)

const startable: readonly string[] = ['draft', 'failed', 'stopped']

type Need = 'beginWork' | 'blobs' | 'logEntries' | 'logs' | 'publicUrl' | 'shared'

const described = (action: string) => ({
  tag: 'Logs',
  scope: 'logs.export',
  checksScope: true,
  authorise: (call: Call) => requireSight(call, 'logs.export'),
  query: Type.Object(scopeQuery),
  answer: exportSchema,
  audit: { action, resource_type: 'log-export' },
})
const one = '/v1/logs/exports/:id'

const declared = {
  create: {
    ...described('create'),
    method: 'POST',
    path: '/v1/logs/exports',
    operationId: 'logExportCreate',
    summary: 'Creates an export as a draft',
    body: creation,
  },
  list: {
    ...described('list'),
    method: 'GET',
    path: '/v1/logs/exports',
    operationId: 'logExportList',
    summary: 'Lists exports, newest first',
    query: Type.Object({ ...pageQuery.properties, ...scopeQuery }),
    answer: exportListSchema,
  },
  fieldRestrictions: {
    ...described('list'),
    method: 'GET',
    path: '/v1/logs/exports/field-restrictions',
    operationId: 'logExportFieldRestrictions',
    summary: 'Lists the fields that exports must not contain',
    answer: Type.Object({ deniedFields: Type.Array(Type.String()) }),
  },
  read: {
    ...described('read'),
    method: 'GET',
    path: one,
    operationId: 'logExportRead',
    summary: 'Returns an export',
  },
  update: {
    ...described('update'),
    method: 'PUT',
    path: one,
    operationId: 'logExportUpdate',
    summary: 'Changes a draft of an export',
    body: changes,
    // An unknown export is reported before errors of the body.
    authorise: async (call) => {
      await requireSight(call, 'logs.export')
      await find(call)
    },
  },
  start: {
    ...described('start'),
    method: 'POST',
    path: `${one}/start`,
    operationId: 'logExportStart',
    summary: 'Starts an export, which writes its file',
    isBodyOptional: true,
  },
  cancel: {
    ...described('cancel'),
    method: 'POST',
    path: `${one}/cancel`,
    operationId: 'logExportCancel',
    summary: 'Cancels an export',
    isBodyOptional: true,
  },
  download: {
    ...described('read'),
    method: 'GET',
    path: `${one}/download`,
    operationId: 'logExportDownload',
    summary: 'Returns a download link that is valid for an hour',
    answer: Type.Object({ signed_url: Type.String() }),
  },
} satisfies Record<string, Omit<PlainRoute, 'handle'>>

export function exportRoutes(context: ManagementContext<Need>): { routes: Route[]; job: Job } {
  const runner = createExportRunner(context)
  const routes = [
    plainRoute(context, { ...declared.create, handle: create }),
    plainRoute(context, { ...declared.list, handle: list }),
    plainRoute(context, {
      ...declared.fieldRestrictions,
      handle: async (call) => ({ deniedFields: await deniedFields(call, call.identity.boundWorkspaceId) }),
    }),
    plainRoute(context, { ...declared.read, handle: async (call) => presentExport(await find(call)) }),
    plainRoute(context, { ...declared.update, handle: update }),
    plainRoute(context, { ...declared.start, handle: (call) => start(call, runner) }),
    plainRoute(context, { ...declared.cancel, handle: cancel }),
    plainRoute(context, { ...declared.download, handle: (call) => download(context, call) }),
    fileRoute(context),
  ]
  return { routes, job: runner.job }
}

async function download(context: ManagementContext<Need>, call: Call) {
  const document = await find(call)
  if (document.status !== 'success')
    throw conflict('The file of this export is not complete yet. Try again when its status is success.')
  return { signed_url: signedUrl(context, document, call.nowMs) }
}

function fileRoute(context: ServiceContext<'blobs' | 'documents' | 'now' | 'sealer'>): Route {
  return {
    method: 'GET',
    path: '/v1/logs/exports/:id/file',
    operationId: 'logExportFile',
    summary: 'Downloads the file of an export by a signed link, as one JSON object per line',
    tag: 'Logs',
    scope: 'public',
    media: { answer: ['application/x-ndjson'] },
    async handle({ params: { id = '' }, query }) {
      const document = isId(id) ? await context.documents.get(exportKind, id) : null
      // Documents of this kind are written only here.
      const found = document as ExportDocument | null
      if (found === null) throw notFound('path/id', 'export')
      if (!isSigned(context, found, { query, nowMs: context.now() }))
        throw forbidden('This link is invalid or has expired. Request a new one.', 'query/signature')
      const stream = found.status === 'success' ? await context.blobs.get(blobKey(id)) : null
      if (stream === null) throw notFound('path/id', 'export')
      return {
        status: 200,
        headers: {
          'content-type': 'application/x-ndjson',
          'content-disposition': `attachment; filename="logs-${id}.jsonl"`,
          'cache-control': 'no-store',
        },
        body: { stream },
      }
    },
  }
}

async function deniedFields(call: Call, workspaceId: string | null): Promise<string[]> {
  const workspace = workspaceId === null ? null : await call.documents.get(kinds.workspace, workspaceId)
  const settings = effectiveSettings((await call.organisation()).data, workspace?.data ?? null)
  const denied = isObject(settings.export_settings) ? settings.export_settings.deniedFields : []
  return Array.isArray(denied) ? denied.map(String) : []
}

interface Plan {
  filter: LogFilter
  offset: number
  limit: number
  sight: Sight
}

const writtenFilters = (given: JsonObject) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, filterText(value)]))

/** The filter and fields that an export reads, with the caller's current rights. */
async function planOf(
  call: Call<'logs'>,
  data: Pick<ExportData, 'filters' | 'requested_data'>,
): Promise<Plan> {
  const { filters: given, requested_data: fields } = data
  const written = writtenFilters(given)
  const faultAt = (name: string, message: string) =>
    new GatewayError('invalid_body', `/filters/${name}: ${message}`, { param: `/filters/${name}` })
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(filters.properties, name))
  if (unknown !== undefined) throw faultAt(unknown, 'is an unknown filter')
  const names = { workspace_id: call.query.workspace_id, ...written }
  const sight = await sightOf(call, 'logs.export', names)
  if (showsBodies(fields) || written.search !== undefined) await sightOf(call, 'logs.view', names)
  for (const place of sight.workspace_ids ?? [null]) {
    const denied = await deniedFields(call, place)
    const index = fields.findIndex((name) => denied.includes(name))
    if (index === -1) continue
    const param = `/requested_data/${index}`
    throw new GatewayError(
      'invalid_body',
      `${param}: The settings of the organisation or workspace do not allow the field ${fields[index]} in exports.`,
      {
        param,
      },
    )
  }
  const read = await readFilters(call, written, faultAt)
  const { logsFrom } = await retentionOf(call)
  const times = withTimes(read, { from: logsFrom, defaultMs: 7 * dayMs, nowMs: call.nowMs })
  const limit = Number(given.page_size ?? maxRows)
  return { filter: { ...times, ...sight }, sight, offset: Number(given.current_page ?? 0) * limit, limit }
}

const makerOf = ({ identity }: Call) => identity.userId ?? identity.keyId

/** Users' keys see only the exports of their user. */
const isHidden = (call: Call, { data }: ExportDocument): boolean =>
  call.identity.type === 'workspace-user' && data.made_by !== makerOf(call)

async function find(call: Call): Promise<ExportDocument> {
  const sight = await sightOf(call, 'logs.export')
  const { id = '' } = call.request.params
  const found = isId(id) ? await call.documents.get(exportKind, id) : null
  const missing = notFound('path/id', 'export')
  if (found === null || found.organisation_id !== call.organisationId || isHidden(call, found)) throw missing
  if (sight.workspace_ids !== undefined && !sight.workspace_ids.includes(found.workspace_id)) throw missing
  return found
}

function noteOf(action: string, document: Pick<DocumentDraft, 'id' | 'workspace_id'>): AuditNote {
  return {
    action,
    resource_type: 'log-export',
    resource_id: document.id,
    workspace_id: document.workspace_id,
  }
}

interface PutOptions {
  status: ExportStatus
  own: Partial<ExportData>
  action: string
}

async function put(
  call: Call,
  { version, ...document }: ExportDocument,
  { status, own, action }: PutOptions,
): Promise<ExportDocument> {
  const data = { ...document.data, ...own }
  const changed = { ...document, status, last_updated_at: call.nowMs, data }
  const [stored] = await call.commit(
    [{ op: 'put', document: changed, expected: version }],
    noteOf(action, document),
  )
  return (stored ?? { ...changed, version }) as ExportDocument
}

async function create(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const given = isObject(call.body.filters) ? call.body.filters : {}
  const named = call.body.workspace_id
  const filters = typeof named === 'string' ? { ...given, workspace_id: named } : given
  const requested_data = (Array.isArray(call.body.requested_data) ? call.body.requested_data : []).map(String)
  const { filter, sight } = await planOf(call, { filters, requested_data })
  const [only, ...more] = sight.workspace_ids ?? []
  const id = timeOrderedId(call.nowMs)
  const data: ExportData = {
    filters,
    requested_data,
    description: typeof call.body.description === 'string' ? call.body.description : null,
    total: await call.context.logEntries.count(filter),
    made_by: makerOf(call),
    run: null,
    rows: null,
    error: null,
    ended_at: null,
    sealed: call.context.sealer.seal(randomBytes(32).toString('base64url'), recordOfExport(id)),
  }
  const document: DocumentDraft<ExportData> = {
    kind: exportKind,
    id,
    organisation_id: call.organisationId,
    workspace_id: more.length === 0 ? (only ?? null) : null,
    slug: null,
    name: null,
    status: 'draft',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: { made_by: data.made_by === null ? [] : [data.made_by] },
    data,
  }
  await call.commit([{ op: 'put', document, expected: 0 }], noteOf('create', document))
  return presentExport({ ...document, version: 1 })
}

async function list(call: Call): Promise<JsonObject> {
  const sight = await sightOf(call, 'logs.export')
  const paging = pagingOf(call.query)
  const maker = makerOf(call)
  const { total, documents } = await call.documents.list(
    exportKind,
    {
      organisation_id: call.organisationId,
      ...(sight.workspace_ids === undefined ? {} : { workspace_ids: sight.workspace_ids }),
      ...(call.identity.type === 'workspace-user' ? { attributes: { made_by: [maker ?? ''] } } : {}),
    },
    {
      sort: 'created_at',
      order: 'desc',
      offset: paging.current_page * paging.page_size,
      limit: paging.page_size,
    },
  )
  return listAnswer(documents.map(presentExport), total, paging)
}

async function update(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const document = await find(call)
  if (document.status !== 'draft') throw conflict('Only an export that is a draft can be changed.')
  const { filters = document.data.filters, requested_data, description, workspace_id } = call.body
  if (typeof workspace_id === 'string') await checkWorkspace(call, document.workspace_id, workspace_id)
  const next = {
    filters: isObject(filters) ? filters : document.data.filters,
    requested_data: Array.isArray(requested_data) ? requested_data.map(String) : document.data.requested_data,
    description: description === undefined ? document.data.description : (description as string | null),
  }
  const { filter } = await planOf(call, next)
  const total = await call.context.logEntries.count(filter)
  return presentExport(
    await put(call, document, { status: 'draft', own: { ...next, total }, action: 'update' }),
  )
}

/** An export stays in its workspace; some clients repeat it. */
async function checkWorkspace(call: Call, own: string | null, written: string): Promise<void> {
  const named = await call.workspace(written, '/workspace_id')
  if (named.id === own) return
  const message = '/workspace_id: must be omitted or be the workspace of the export'
  throw new GatewayError('invalid_body', message, { param: '/workspace_id' })
}

async function start(call: Call<'logs'>, runner: ExportRunner): Promise<JsonObject> {
  const document = await find(call)
  if (!startable.includes(document.status)) throw conflict(`This export is already ${document.status}.`)
  const { filter, offset, limit } = await planOf(call, document.data)
  const run = { filter: asJson(filter) as JsonObject, offset, limit }
  const started = await put(call, document, {
    status: 'in_progress',
    own: { run, error: null, rows: null },
    action: 'start',
  })
  runner.start(started.id)
  return presentExport(started)
}

async function cancel(call: Call): Promise<JsonObject> {
  const document = await find(call)
  if (document.status !== 'in_progress') throw conflict('Only an export that is in progress can be stopped.')
  return presentExport(
    await put(call, document, { status: 'stopped', own: { ended_at: call.nowMs }, action: 'cancel' }),
  )
}
