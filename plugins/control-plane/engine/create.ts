/** POST of a collection: scope, workspace, body, hooks, slug, commit. */
import {
  type Capability,
  faultsError,
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
  type ServiceAnswer,
  type StoredDocument,
} from '@gateway/contract'
import { isSame, timeOrderedId } from '@gateway/domain'
import type { Call } from './call.ts'
import type { CompiledResource } from './compiled.ts'
import { checkOrganisation } from './create-call.ts'
import { isOfFile, missingScope } from './errors.ts'
import { requireSomewhere, scopesFor } from './families.ts'
import { fileDocumentsOf, present } from './present.ts'
import type { DraftOf, Resource } from './resource.ts'
import { sealSecrets } from './secrets.ts'
import { isId, slugFault, slugsFor } from './slug.ts'
import { trimStrings } from './trim.ts'
import { answerOne, untilUncontested } from './versions.ts'
import { commitWrite, prepareWrite, writerOf } from './write.ts'

/** @param fixed members that the route determines, such as the key class in its path */
export const createDocument = <Need extends Capability>(
  compiled: CompiledResource<Need>,
  call: Call<Need>,
  fixed: JsonObject = {},
): Promise<ServiceAnswer> =>
  // Other documents in the same commit, such as a workspace default, may be changed concurrently.
  untilUncontested(call, compiled.resource.title, () => createOnce(compiled as CompiledResource, call, fixed))

async function createOnce(compiled: CompiledResource, call: Call, fixed: JsonObject): Promise<ServiceAnswer> {
  const { resource } = compiled
  await requireSomewhere(call, scopesFor(resource, ['create']))
  const sent = { ...bodyObject(call.sent), ...fixed }
  const workspaceId = await chooseWorkspace(resource, call, sent)
  const { workspace_id: _, organisation_id: __, ...rest } = sent
  // Objects of the organisation have no workspace. A `workspace_id` in the body is refused as an unknown key, not
  // ignored.
  const keepsWorkspace = resource.level === 'organisation' || resource.fields.workspace_id !== undefined
  const body = trimStrings(
    keepsWorkspace && sent.workspace_id !== undefined ? { ...rest, workspace_id: sent.workspace_id } : rest,
    compiled.create,
  ) as JsonObject
  const draft = draftOf(compiled, call, { body, workspaceId })
  await requireCreate(resource, call, draft)
  checkRequired(resource, workspaceId)
  const faults = [...compiled.checkCreate(body), ...slugFaults(resource, body), ...fixedFaults(call, fixed)]
  if (faults.length > 0) throw faultsError(faults)
  sealSecrets(resource, draft, { body, sealer: call.context.sealer })
  const write = await prepareWrite(resource, { action: 'create', body, before: null, draft, call })
  const stored = await commitWithSlug(resource, write, typeof body.slug === 'string')
  if (resource.createAnswer !== undefined) {
    return answerOne(call.request, stored.version, { ...resource.createAnswer.of(stored), ...write.shown })
  }
  const shown = { ...(await present(resource, stored, { call, view: 'one' })), ...write.shown }
  return answerOne(call.request, stored.version, shown)
}

/** Returns the body if it is an object, and throws otherwise. */
export function bodyObject(body: unknown): JsonObject {
  if (isObject(body)) return body
  throw new GatewayError('invalid_body', 'The body must be a JSON object.', { param: '/' })
}

/** The workspace in the body or the query (the body has precedence), otherwise the credential's own, or null. */
async function chooseWorkspace(resource: Resource, call: Call, body: JsonObject): Promise<string | null> {
  const { request, identity } = call
  await checkOrganisation(call, body.organisation_id, '/organisation_id')
  await checkOrganisation(call, request.query.organisation_id, 'query/organisation_id')
  if (resource.level === 'organisation') return null
  const { workspace_id: written } = body
  if (written !== undefined && written !== null) {
    if (typeof written !== 'string') {
      throw new GatewayError('invalid_body', '/workspace_id: must be string', { param: '/workspace_id' })
    }
    return (await call.workspace(written.trim(), '/workspace_id')).id
  }
  const { workspace_id: queried } = request.query
  if (queried !== undefined && queried !== '') return (await call.workspace(queried)).id
  return identity.boundWorkspaceId
}

function checkRequired(resource: Resource, workspaceId: string | null): void {
  if (resource.level !== 'workspace' || workspaceId !== null) return
  throw faultsError([{ param: '/workspace_id', code: 'invalid_body', message: 'is required' }])
}

/** The body may repeat values that the path determines but must not contradict them. */
function fixedFaults({ sent: body }: Call, fixed: JsonObject) {
  return Object.entries(fixed).flatMap(([name, value]) =>
    !isObject(body) || body[name] === undefined || isSame(body[name], value)
      ? []
      : [{ param: `/${name}`, code: 'invalid_body' as const, message: 'must be omitted or match the path' }],
  )
}

function slugFaults({ slug: bounds }: Resource, { slug }: JsonObject) {
  if (typeof slug !== 'string') return []
  const { minChars = 1, maxChars = 255 } = bounds ?? {}
  const isOfLength = slug.length >= minChars && slug.length <= maxChars
  const message = isId(slug)
    ? 'must not be an id'
    : isOfLength
      ? slugFault(slug)
      : `must have ${minChars} to ${maxChars} characters`
  return message === null ? [] : [{ param: '/slug', code: 'invalid_body' as const, message }]
}

function draftOf(
  { resource, fields }: CompiledResource,
  call: Call,
  { body, workspaceId }: { body: JsonObject; workspaceId: string | null },
): DraftOf<JsonObject> {
  const data: JsonObject = { owner_id: writerOf(call), updated_by: writerOf(call) }
  for (const [name, field] of Object.entries(fields)) {
    if (field.isTransient === true || field.secret === true) continue
    if (name === 'name' && resource.hasCommonFields !== false) continue
    data[name] = body[name] ?? field.default ?? null
  }
  return {
    kind: resource.kind,
    id: timeOrderedId(call.nowMs),
    organisation_id: call.organisationId,
    workspace_id: workspaceId,
    slug: typeof body.slug === 'string' && resource.slug !== null ? body.slug : null,
    name: typeof body.name === 'string' ? body.name : null,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: {},
    data,
  }
}

/** Checks the family that the new object would belong to. Its attributes must come from the body alone. */
async function requireCreate(resource: Resource, call: Call, draft: DraftOf<JsonObject>): Promise<void> {
  const fitting = resource.families.filter(
    ({ attribute = {}, isListOnly = false }) =>
      !isListOnly && Object.entries(attribute).every(([name, value]) => draft.data[name] === value),
  )
  const level = draft.workspace_id === null ? 'organisation' : 'workspace'
  const placed = fitting.filter(
    (rule) => resource.level === 'organisation' || (rule.level ?? level) === level,
  )
  // A value in the body has precedence.
  const rules = placed.length > 0 ? placed : fitting.filter(({ attribute }) => attribute !== undefined)
  // No rule applies: the body is invalid, and its validation reports why.
  if (rules.length === 0) return
  const scopes = rules.map(({ family }) => `${family}.create`)
  if (resource.level === 'workspace' && draft.workspace_id === null) return requireSomewhere(call, scopes)
  for (const scope of scopes) if ((await call.reach(scope, draft.workspace_id)) !== null) return
  throw missingScope(scopes)
}

/** A generated slug that is taken is generated again. A taken slug that the caller sent is a conflict. */
async function commitWithSlug(
  resource: Resource,
  write: Parameters<typeof commitWrite>[1],
  isGiven: boolean,
): Promise<StoredDocument> {
  const { draft } = write
  if (resource.slug === null) return commitWrite(resource, write)
  if (isGiven) {
    checkFileSlug(resource, write)
    return commitWrite(resource, write)
  }
  let last: unknown = null
  for (const slug of slugsFor(draft.name ?? resource.object, resource.slug.prefix, resource.slug.minChars)) {
    draft.slug = slug
    if (isFileSlug(resource, write)) continue
    try {
      return await commitWrite(resource, write)
    } catch (error) {
      if (!isGatewayError(error) || error.param !== '/slug') throw error
      last = error
    }
  }
  throw last ?? new GatewayError('internal_error', 'No free slug was found for this name. Send a `slug`.')
}

/** Objects of the config file reserve their slugs in every workspace where they are available. */
function isFileSlug(resource: Resource, { draft, call }: Parameters<typeof commitWrite>[1]): boolean {
  return fileDocumentsOf(resource, call).some(
    ({ slug, workspace_id }) =>
      slug !== null && slug === draft.slug && (workspace_id === null || workspace_id === draft.workspace_id),
  )
}

export function checkFileSlug(resource: Resource, write: Parameters<typeof commitWrite>[1]): void {
  if (isFileSlug(resource, write)) throw isOfFile(resource.title, write.call.context.filePath)
}

/** A free slug for a document that is created together with others (a default provider). */
export async function freeSlug(
  resource: Pick<Resource, 'kind' | 'slug' | 'level'>,
  call: Call,
  { name, scopeId }: { name: string; scopeId: string },
): Promise<string> {
  for (const slug of slugsFor(name, resource.slug?.prefix ?? '')) {
    if ((await call.find(resource.kind, slug, scopeId)) === null) return slug
  }
  throw new GatewayError('internal_error', 'No free slug was found for this name. Send a `slug`.')
}
