/** Creates the {@link Call} of a request: the caller, the organisation, and the one way to write. */
import {
  type Capability,
  type DocumentFilter,
  type DocumentWrite,
  type Fault,
  GatewayError,
  type Identity,
  type ServiceRequest,
  type StoredDocument,
} from '@gateway/contract'
import {
  type AuditNote,
  type AuditSource,
  auditWrite,
  compareDocuments,
  type DocumentOf,
  defaultWorkspaceId,
  eventsOf,
  firstOrganisationId,
  isOfKind,
  kinds,
  slugKey,
  typedDocuments,
  unknownName,
} from '@gateway/domain'
import type { Call, ManagementContext } from './call.ts'
import { missingScope, notFound } from './errors.ts'
import { createRights } from './rights.ts'
import { isId } from './slug.ts'

/** The caller of a public route: anonymous and without rights. */
const nobody: Identity = {
  type: 'session',
  keyId: null,
  keyVersion: null,
  name: 'anonymous',
  organisationId: firstOrganisationId,
  boundWorkspaceId: null,
  workspace: 'default',
  workspaceId: defaultWorkspaceId,
  userId: null,
  role: null,
  scopes: new Set(),
}

/** The largest number of names that an error message chooses its suggestions from. */
const maxProposed = 100

export function createCall<Need extends Capability>(
  context: ManagementContext<Need>,
  request: ServiceRequest,
  sent: unknown,
): Call<Need> {
  const identity = request.identity ?? nobody
  const documents = typedDocuments(context.documents)
  const { organisationId } = identity
  const nowMs = context.now()
  const workspaces = new Map<string, Promise<DocumentOf<'workspace'> | null>>()
  let organisation: Promise<DocumentOf<'organisation'> | null> | null = null

  const fileDocument = <Kind extends string>(kind: Kind, isIt: (document: StoredDocument) => boolean) =>
    context
      .fileDocuments()
      .filter((document) => isOfKind(document, kind))
      .find((document) => isIt(document)) ?? null

  function workspaceById(id: string): Promise<DocumentOf<'workspace'> | null> {
    const known = workspaces.get(id)
    if (known !== undefined) return known
    const read = async () => {
      const found =
        fileDocument(kinds.workspace, (document) => document.id === id) ??
        (await documents.get(kinds.workspace, id))
      return found?.organisation_id === organisationId ? found : null
    }
    const made = read()
    workspaces.set(id, made)
    return made
  }

  const organisationOrNull = () => (organisation ??= documents.get(kinds.organisation, organisationId))

  const rights = createRights({ identity, documents, organisation: organisationOrNull, workspaceById })
  const sourceOf = (status: number, refusal?: AuditSource['refusal']): AuditSource => ({
    request,
    identity: request.identity,
    organisationId,
    nowMs,
    status,
    sent,
    ...(refusal === undefined ? {} : { refusal }),
  })

  /** Suggests workspaces that the caller can see. */
  async function unknownWorkspace(written: string, param: string): Promise<GatewayError> {
    const visible = await rights.visibleWorkspaces()
    if (isId(written) || visible?.length === 0) return notFound(param, 'workspace')
    const filter = {
      organisation_id: organisationId,
      statuses: ['active'],
      ...(visible === null ? {} : { ids: visible.slice(0, maxProposed) }),
    }
    const stored = await documents.list(kinds.workspace, filter, { offset: 0, limit: maxProposed })
    const declared = context
      .fileDocuments()
      .filter(({ kind, id }) => kind === kinds.workspace && (visible === null || visible.includes(id)))
    const known = new Set([...stored.documents, ...declared].flatMap(({ slug }) => slug ?? []))
    if (known.size === 0) return notFound(param, 'workspace')
    return new GatewayError('not_found', unknownName({ what: 'workspace', written, known }), { param })
  }

  const call: Call<Need> & { hasWritten: boolean } = {
    context,
    documents,
    request,
    identity,
    organisationId,
    nowMs,
    body: {},
    query: {},
    namedInBody: null,
    memory: new Map(),
    sent,
    // Not a getter: V8 creates a hidden class for each literal that has one, and keeps whatever it refers to alive until
    // the next collection of the old generation.
    hasWritten: false,
    async organisation() {
      const found = await organisationOrNull()
      if (found === null) throw notFound('/organisation_id', 'organisation')
      return found
    },
    async workspace(idOrSlug, param = 'query/workspace_id') {
      const found = await call.listedWorkspace(idOrSlug)
      if (found === null) throw await unknownWorkspace(idOrSlug, param)
      return found
    },
    unknownWorkspace,
    async listedWorkspace(idOrSlug) {
      const found = isId(idOrSlug)
        ? await workspaceById(idOrSlug)
        : await call.find(kinds.workspace, idOrSlug, organisationId)
      if (found === null || found.status === 'archived') return null
      const visible = await rights.visibleWorkspaces()
      return visible === null || visible.includes(found.id) ? found : null
    },
    async holds(scope, workspaceId) {
      return (await rights.reach(scope, workspaceId)) !== null
    },
    reach: (scope, workspaceId) => rights.reach(scope, workspaceId),
    async require(scopes, workspaceId) {
      for (const scope of scopes) if ((await rights.reach(scope, workspaceId)) !== null) return
      throw missingScope(scopes)
    },
    seesAllWorkspaces: () => rights.seesAllWorkspaces(),
    visibleWorkspaces: () => rights.visibleWorkspaces(),
    async find<Kind extends string>(kind: Kind, idOrSlug: string, scopeId: string) {
      const isIn = ({ workspace_id, organisation_id }: StoredDocument) =>
        organisation_id === organisationId && (workspace_id ?? scopeId) === scopeId
      if (isId(idOrSlug)) {
        const found =
          fileDocument(kind, (document) => document.id === idOrSlug) ?? (await documents.get(kind, idOrSlug))
        return found !== null && found.status !== 'archived' && isIn(found) ? found : null
      }
      return (
        fileDocument(kind, (document) => document.slug === idOrSlug && isIn(document)) ??
        (await documents.findByKey(kind, slugKey(scopeId, idOrSlug)))
      )
    },
    async commit(writes: readonly DocumentWrite[], note: AuditNote) {
      try {
        const events = eventsOf({ organisationId, nowMs, writes, note })
        const stored = await documents.commit([...writes, ...events, auditWrite(sourceOf(200), note)])
        call.hasWritten = true
        return stored.slice(0, -1 - events.length)
      } finally {
        // Cleared even if the commit fails: data that was read before it may be outdated.
        workspaces.clear()
        organisation = null
      }
    },
    async recordRefusal(error: GatewayError, note, faults: readonly Fault[]) {
      await documents.commit([auditWrite(sourceOf(error.status, { error, faults }), note)])
    },
  }
  return call
}

/** Throws unless the id or slug is that of the caller's organisation. */
export async function checkOrganisation(call: Call, written: unknown, param: string): Promise<void> {
  if (written === undefined || written === null || written === call.organisationId) return
  if (typeof written === 'string' && !isId(written)) {
    const organisation = await call.organisation()
    if (organisation.slug === written) return
  }
  throw notFound(param, 'organisation')
}

/** All documents that match a filter, in order. Use it only for sets that are known to be small. */
export async function listAll<Kind extends string>(
  call: Pick<Call, 'documents'>,
  kind: Kind,
  filter: DocumentFilter,
): Promise<DocumentOf<Kind>[]> {
  const found: DocumentOf<Kind>[] = []
  for (;;) {
    const { documents, total } = await call.documents.list(kind, filter, {
      sort: 'id',
      order: 'asc',
      offset: found.length,
      limit: 1000,
    })
    found.push(...documents)
    if (documents.length === 0 || found.length >= total) break
  }
  return found.sort(compareDocuments({ sort: 'created_at', order: 'asc' }))
}
