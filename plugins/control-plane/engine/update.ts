/** PUT and PATCH of one object: merged over the stored object. `status: active` restores an archived one. */
import {
  type Capability,
  type Fault,
  faultsError,
  GatewayError,
  type Json,
  type JsonObject,
  ownMember,
  type ServiceAnswer,
  type StoredDocument,
} from '@gateway/contract'
import { isSame, kinds, unknownKey } from '@gateway/domain'
import type { Call } from './call.ts'
import type { CompiledResource } from './compiled.ts'
import { bodyObject, checkFileSlug } from './create.ts'
import { checkOrganisation } from './create-call.ts'
import { locate } from './locate.ts'
import { mergeField } from './merge.ts'
import { present } from './present.ts'
import { refuseDeclared } from './refuse-declared.ts'
import type { DraftOf } from './resource.ts'
import { sealSecrets } from './secrets.ts'
import { isId } from './slug.ts'
import { trimStrings } from './trim.ts'
import { answerOne, checkIfMatch, untilUncontested } from './versions.ts'
import { commitWrite, prepareWrite, writerOf } from './write.ts'

interface Update {
  /** The document's id or slug. */
  name: string
  /** The changes, if they are not the body as sent. */
  sent?: unknown
}

export const updateDocument = <Need extends Capability>(
  compiled: CompiledResource<Need>,
  call: Call<Need>,
  { name, sent = call.sent }: Update,
): Promise<ServiceAnswer> =>
  untilUncontested(call, compiled.resource.title, () =>
    updateOnce(compiled as CompiledResource, call, { name, sent: bodyObject(sent) }),
  )

async function updateOnce(
  compiled: CompiledResource,
  call: Call,
  { name, sent }: { name: string; sent: JsonObject },
): Promise<ServiceAnswer> {
  const { resource } = compiled
  const canRestore = sent.status === 'active' && resource.writableStatuses?.includes('active') === true
  const before = await locate(resource, call, {
    actions: ['update'],
    name,
    ...(canRestore ? { archived: 'also' as const } : {}),
  })
  await resource.hooks?.authorise?.(call, 'update', before)
  await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
  refuseDeclared(resource, call, before)
  checkIfMatch(call.request, before.version)
  if (Object.keys(sent).length === 0) {
    throw new GatewayError('invalid_body', 'The body changes nothing. Send at least one writable member.', {
      param: '/',
    })
  }
  const { body, faults } = await readBody(compiled, call, { sent, before })
  const draft = mergedDraft(compiled, call, { body, before })
  // If the body itself is invalid, checking the merged object would report the same errors again.
  if (faults.length === 0) faults.push(...checkMerged(compiled, draft, body))
  if (faults.length > 0) throw faultsError(faults)
  sealSecrets(resource, draft, { body, sealer: call.context.sealer })
  const action = before.status === 'archived' && draft.status !== 'archived' ? 'restore' : 'update'
  const write = await prepareWrite(resource, { action, body, before, draft, call })
  if (action === 'restore') checkFileSlug(resource, write)
  const stored = await commitWrite(resource, write)
  const shown = { ...(await present(resource, stored, { call, view: 'one' })), ...write.shown }
  return answerOne(call.request, stored.version, shown)
}

/** Writable members, trimmed. Read-only members must be unchanged. */
async function readBody(
  { resource, update, checkUpdate }: CompiledResource,
  call: Call,
  { sent, before }: { sent: JsonObject; before: StoredDocument },
): Promise<{ body: JsonObject; faults: Fault[] }> {
  const writable: unknown = update.properties
  const body: JsonObject = {}
  const faults: Fault[] = []
  let shown: JsonObject | null = null
  for (const [name, value] of Object.entries(sent)) {
    if (typeof writable === 'object' && writable !== null && Object.hasOwn(writable, name)) {
      // A caller may send back unchanged a status that only the gateway sets.
      if (name !== 'status' || value !== before.status) body[name] = value
      continue
    }
    shown ??= await present(resource, before, { call, view: 'one' })
    const known = typeof writable === 'object' && writable !== null ? Object.keys(writable) : []
    if (!Object.hasOwn(shown, name) && name !== 'workspace_id' && name !== 'organisation_id') {
      faults.push({ param: '', code: 'invalid_body', message: unknownKey(name, known) })
    } else if (
      !isSame(ownMember(shown, name) ?? before[name as 'workspace_id'] ?? null, await idOf(call, name, value))
    ) {
      faults.push({ param: `/${name}`, code: 'invalid_body', message: 'is read-only' })
    }
  }
  // Members of a JSON object are JSON.
  const trimmed = trimStrings(body, update) as JsonObject
  faults.push(...checkUpdate(trimmed))
  return { body: trimmed, faults }
}

/** A workspace or an organisation may be given by its slug. */
async function idOf(call: Call, name: string, value: Json | undefined): Promise<Json> {
  if (typeof value !== 'string' || isId(value)) return value ?? null
  if (name === 'workspace_id')
    return (await call.find(kinds.workspace, value, call.organisationId))?.id ?? value
  if (name === 'organisation_id' && (await call.organisation()).slug === value) return call.organisationId
  return value
}

function mergedDraft(
  { resource, fields }: CompiledResource,
  call: Call,
  { body, before }: { body: JsonObject; before: StoredDocument },
): DraftOf<JsonObject> {
  const data: JsonObject = { ...before.data, updated_by: writerOf(call) }
  for (const [name, field] of Object.entries(fields)) {
    const given: Json | undefined = body[name]
    if (given === undefined || field.isTransient === true || field.secret === true) continue
    if (name === 'name' && resource.hasCommonFields !== false) continue
    data[name] = given === null ? null : mergeField(field, data[name], given)
  }
  return {
    kind: before.kind,
    id: before.id,
    organisation_id: before.organisation_id,
    workspace_id: before.workspace_id,
    slug: before.slug,
    name: typeof body.name === 'string' ? body.name : before.name,
    status: typeof body.status === 'string' ? body.status : before.status,
    created_at: before.created_at,
    last_updated_at: Math.max(call.nowMs, before.last_updated_at),
    keys: [...before.keys],
    attributes: { ...before.attributes },
    data,
  }
}

/** Checks merged objects again, because removing a member may have removed a required one. */
function checkMerged(
  { checkField }: CompiledResource,
  draft: DraftOf<JsonObject>,
  body: JsonObject,
): Fault[] {
  return [...checkField].flatMap(([name, check]) => {
    const merged = draft.data[name] ?? null
    return body[name] === undefined || merged === null ? [] : [...check(merged)]
  })
}
