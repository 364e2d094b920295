/** The document of a new batch. */
import type { EndpointRequest, JsonObject, ServiceContext } from '@gateway/contract'
import { type DocumentOf, derivedId } from '@gateway/domain'
import { blank, type FileLibrary } from '../files/library.ts'
import type { AuditLog } from '../shared/audit.ts'
import { callerOf, keptCaller } from '../shared/caller.ts'
import type { BatchData, Owner, ProviderBatch } from '../shared/entities.ts'
import { newId, writeId } from '../shared/ids.ts'
import { presentBatch } from './present.ts'
import type { BatchDocument } from './store.ts'

export interface CreateParts {
  context: ServiceContext<
    | 'batchLinesOf'
    | 'bodyLimitBytes'
    | 'counters'
    | 'documents'
    | 'files'
    | 'now'
    | 'priceOf'
    | 'runInference'
    | 'sealer'
    | 'validator'
  >
  files: FileLibrary
  audit: AuditLog
  /** Wakes the scheduler: a batch is ready to run. */
  nudge(): void
}

/** The body of `POST /v1/batches`. */
export type BatchBody = {
  input_file_id: string
  completion_window: 'immediate' | '24h'
  endpoint: string
  metadata?: Record<string, string> | null
  model?: string
  dry_run?: boolean
  output_expires_after?: { seconds: number }
  provider_options?: JsonObject
}

const windowMs = 86_400_000

interface New {
  body: BatchBody
  /** Null if the provider has the file. */
  file: DocumentOf<'file'> | null
  owner: Owner
  provider: ProviderBatch | null
  retryOf?: BatchDocument
  /** The headers of its lines' calls, if they are not those of the request. */
  headers?: Record<string, string>
}

/** Stores the batch; a process then runs it. */
export async function make(
  { context, audit, nudge }: Pick<CreateParts, 'context' | 'audit' | 'nudge'>,
  request: EndpointRequest,
  made: New,
): Promise<JsonObject> {
  const batch = draftOf(context, request, made)
  const presented = presentBatch(batch)
  await context.documents.commit([
    { op: 'put', document: batch, expected: 0 },
    audit.write(request, { action: 'create', type: 'batch', id: batch.id, after: presented }),
  ])
  nudge()
  return presented
}

export function draftOf(
  context: ServiceContext<'now' | 'sealer'>,
  request: EndpointRequest,
  { body, file, owner, provider, retryOf, headers = request.laterHeaders() }: New,
): BatchDocument {
  const { identity, organisationId, workspaceId } = callerOf(request)
  const id = newId()
  const at = context.now()
  const data: BatchData = {
    owner,
    endpoint: body.endpoint,
    input_file_id:
      retryOf === undefined || file === null ? body.input_file_id : writeId('file', file.data.owner, file.id),
    input_document: file?.id ?? null,
    completion_window: body.completion_window,
    model: body.model ?? null,
    metadata: body.metadata ?? null,
    expires_at: at + windowMs,
    times: {},
    errors: null,
    output_file_id: null,
    error_file_id: null,
    counts: { total: 0, completed: 0, failed: 0 },
    usage: null,
    retry_of: retryOf === undefined ? null : writeId('batch', retryOf.data.owner, retryOf.id),
    output_expires_after: body.output_expires_after?.seconds ?? null,
    sealed_headers: context.sealer.seal(JSON.stringify(headers), `batch/${id}`),
    caller: keptCaller(identity),
    client_ip: request.clientIp,
    target: targetKey(headers),
    trace_id: request.traceId,
    provider,
  }
  return {
    ...blank('batch', at),
    id,
    organisation_id: organisationId,
    workspace_id: workspaceId,
    status: 'validating',
    attributes: { owner: [owner], ...(file === null ? {} : { input_file: [file.id] }) },
    data,
    version: 1,
  }
}

/**
 * Identifies lines that share backoff: those with the same config and credential. A hash, because both may be secret.
 */
function targetKey(headers: Readonly<Record<string, string>>): string {
  const deciding = /-(?:config|virtual-key|provider|custom-host)$|^authorization$/
  return derivedId(
    JSON.stringify(
      Object.entries(headers)
        .filter(([name]) => deciding.test(name))
        .sort(),
    ),
  )
}
