/** The steps of every write of a resource: hooks, errors, index, and one commit with its audit record. */
import {
  type DocumentWrite,
  type ErrorCode,
  type Fault,
  faultReason,
  faultsError,
  GatewayError,
  isGatewayError,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import type { Call } from './call.ts'
import { conflict } from './errors.ts'
import { placeOf } from './families.ts'
import { baseView, index } from './present.ts'
import type { DraftOf, Resource, Write } from './resource.ts'

export interface WriteSource {
  action: Write['action']
  body: JsonObject
  before: StoredDocument | null
  draft: DraftOf<JsonObject>
  call: Call
  faults?: Fault[]
}

/** Runs the hooks of a write. Throws all errors together. */
export async function prepareWrite(resource: Resource, source: WriteSource): Promise<Write> {
  const faults: Fault[] = source.faults ?? []
  const write: Write = {
    action: source.action,
    body: source.body,
    before: source.before,
    draft: source.draft,
    call: source.call,
    isGiven: (field) => source.body[field] !== undefined,
    fault: (param: string, message: string, code: ErrorCode = 'invalid_body') => {
      faults.push({ param, code, message })
    },
    also: [],
    shown: {},
    auditAction: null,
    notes: new Map(),
  }
  // Hooks expect a draft that is valid under its schema.
  if (faults.length === 0) await resource.hooks?.prepare?.(write)
  if (faults.length > 0) throw faultsError(faults)
  return write
}

const auditActions = { create: 'create', update: 'update', archive: 'delete', restore: 'restore' } as const

/** Commits the write. Errors: `conflict` for a key that is taken, `precondition_failed` for an outdated version. */
export async function commitWrite(resource: Resource, write: Write): Promise<StoredDocument> {
  const { draft, before, call } = write
  index(resource, draft)
  const expected = before?.version ?? 0
  const writes: DocumentWrite[] = [{ op: 'put', document: draft, expected }, ...write.also]
  let stored: StoredDocument[]
  try {
    stored = await call.commit(writes, {
      action: write.auditAction ?? auditActions[write.action],
      resource_type: resource.object,
      resource_id: draft.id,
      workspace_id: placeOf(resource, { ...draft, version: expected }),
      before: before === null ? null : baseView(resource, before),
      after: baseView(resource, draft),
    })
  } catch (error) {
    if (isGatewayError(error) && error.code === 'conflict')
      throw await explainConflict(resource, write, error)
    throw error
  }
  const [document] = stored
  if (document === undefined)
    throw new GatewayError('internal_error', 'The store returned no document for this write.')
  await runAfter(resource, write, document)
  return document
}

/** Reports which key is taken, in terms of the caller's fields. */
async function explainConflict(
  resource: Resource,
  { draft, call }: Write,
  error: GatewayError,
): Promise<GatewayError> {
  for (const key of draft.keys) {
    const owner = await call.documents.findByKey(resource.kind, key)
    if (owner === null || owner.id === draft.id) continue
    const what = key.slice(0, key.indexOf(':'))
    const shown = what === 'slug' ? ` "${draft.slug}"` : what === 'name' ? ` "${draft.name}"` : ''
    return conflict(`There is another ${resource.title} with this ${what}${shown}.`, `/${what}`)
  }
  return error
}

async function runAfter(resource: Resource, write: Write, stored: StoredDocument): Promise<void> {
  try {
    await resource.hooks?.after?.(write, stored)
  } catch (error) {
    const reason = faultReason(error)
    write.call.context.log.error(
      { kind: resource.kind, id: stored.id, reason },
      'a follow-up action of a write failed',
    )
  }
}

/** The last writer: the user, otherwise the key. */
export const writerOf = ({ identity }: Call): string | null => identity.userId ?? identity.keyId
