/** Routes shared by prompts and partials below `/{id}`: versions, and publishing. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { Versioned } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import {
  answerOne,
  type Call,
  conflict,
  type ExtraRoute,
  isFileDocument,
  listAnswer,
  listSchema,
  notFound,
  pagingOf,
  present,
  type Resource,
  refuseDeclared,
  writerOf,
} from '../engine/index.ts'
import { listVersions, pageQuery } from '../shared/index.ts'
import {
  type FoundVersion,
  fileVersion,
  keepReachable,
  toFound,
  type VersionKind,
  versionByName,
  versionByNumber,
} from './versions.ts'

export interface VersionRoutesOptions<Content extends JsonObject, Data extends Content & Versioned> {
  resource(): Resource
  versions: VersionKind<Content, Data>
  /** The prefix of operation ids: `prompt`. */
  operation: string
  /** The answer schema of one version. */
  row: TSchema
  presentRows(
    document: StoredDocument<Data>,
    found: readonly FoundVersion<Content>[],
    call: Call,
  ): Promise<JsonObject[]>
  /** Further data to store when a version is published, in addition to its number. May refuse it. */
  published(
    document: StoredDocument<Data>,
    version: FoundVersion<Content>,
    call: Call,
  ): Promise<Partial<Data>>
  /** Versions reachable without their number, in addition to the latest and the published one. */
  labelled(data: Data): readonly number[]
}

export function versionRoutes<Content extends JsonObject, Data extends Content & Versioned>(
  options: VersionRoutesOptions<Content, Data>,
): ExtraRoute<Data>[] {
  const { operation, row, versions, presentRows } = options
  const publish = (method: 'PUT' | 'POST', path: string, verb: string): ExtraRoute<Data> => ({
    method,
    path,
    operationId: `${operation}${verb}`,
    summary: 'Publishes a version, which is then used by default',
    action: 'publish',
    auditAction: 'publish',
    isBodyOptional: false,
    body: Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: false }),
    handle: (call, document) => publishVersion(options, call, document),
  })
  return [
    {
      method: 'GET',
      path: '/:id/versions',
      operationId: `${operation}Versions`,
      summary: 'Lists the versions, newest first',
      action: 'read',
      query: pageQuery,
      answer: listSchema(row),
      async handle(call, document) {
        const paging = pagingOf(call.query)
        const { total, found } = isFileDocument(document)
          ? {
              total: 1,
              found: paging.current_page === 0 ? [fileVersion(document, versions.contentOf)] : [],
            }
          : await listVersions(call, versions.kind, { documentId: document.id, paging }).then((page) => ({
              total: page.total,
              found: page.versions.map((version) => toFound<Content>(version)),
            }))
        return listAnswer(await presentRows(document, found, call), total, paging)
      },
    },
    {
      method: 'GET',
      path: '/:id/versions/:versionId',
      operationId: `${operation}VersionRead`,
      summary: 'Returns a version by its number or id',
      action: 'read',
      answer: row,
      async handle(call, document) {
        const found = await requireVersion(options, call, document)
        const [shown] = await presentRows(document, [found], call)
        return shown ?? {}
      },
    },
    publish('PUT', '/:id/makeDefault', 'MakeDefault'),
    publish('POST', '/:id/publish', 'Publish'),
  ]
}

/** The version in the path. */
export async function requireVersion<Content extends JsonObject, Data extends Content & Versioned>(
  { versions, resource }: Pick<VersionRoutesOptions<Content, Data>, 'versions' | 'resource'>,
  call: Call,
  document: StoredDocument<Data>,
): Promise<FoundVersion<Content>> {
  const found = await versionByName(versions, call, { document, name: call.request.params.versionId ?? '' })
  if (found === null) throw notFound('path/versionId', `version of this ${resource().title}`)
  return found
}

async function publishVersion<Content extends JsonObject, Data extends Content & Versioned>(
  options: VersionRoutesOptions<Content, Data>,
  call: Call,
  document: StoredDocument<Data>,
) {
  const { resource, versions } = options
  refuseDeclared(resource(), call, document as StoredDocument)
  // The body has passed the route's schema.
  const { version: wanted } = call.body as { version: number }
  const found = await versionByNumber(versions, call, { document, number: wanted })
  const { title, missingCode } = resource()
  if (found === null) throw notFound('/version', `version of this ${title}`, missingCode)
  const more = await options.published(document, found, call)
  const data: Data = { ...document.data, ...more, published_version: wanted, updated_by: writerOf(call) }
  data.used_partials = keepReachable(data.used_partials, [
    data.latest_version,
    wanted,
    ...options.labelled(data),
  ])
  const stored = await saveData(call, resource(), { document, data, action: 'publish' })
  return answerOne(call.request, stored.version, await present(resource(), stored, { call, view: 'one' }))
}

interface SaveDataOptions<Data extends JsonObject> {
  document: StoredDocument<Data>
  data: Data
  action: string
}

/** Commits changed data of a document with its audit record. */
export async function saveData<Data extends JsonObject>(
  call: Call,
  resource: Resource,
  { document: { version: expected, ...document }, data, action }: SaveDataOptions<Data>,
): Promise<StoredDocument> {
  const draft = {
    ...document,
    data,
    last_updated_at: Math.max(call.nowMs, document.last_updated_at),
    attributes: {},
  }
  const attributes = resource.hooks?.attributes?.({ ...draft, version: 0 }) ?? {}
  const [stored] = await call.commit([{ op: 'put', document: { ...draft, attributes }, expected }], {
    action,
    resource_type: resource.object,
    resource_id: document.id,
    workspace_id: document.workspace_id,
    before: { ...document.data },
    after: { ...data },
  })
  if (stored === undefined)
    throw conflict(`The ${resource.title} was changed concurrently. Send the request again.`)
  return stored
}
