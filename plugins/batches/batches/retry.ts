/** `POST /v1/batches/{id}/retry`: creates a new batch from the failed lines of an ended one. */
import { type EndpointRequest, isObject, type JsonObject } from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import { readLine } from '../runner/check-lines.ts'
import { maxCheckedLineBytes } from '../runner/common.ts'
import { readLines } from '../runner/read-lines.ts'
import { callerOf } from '../shared/caller.ts'
import { conflict } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { type CreateParts, make } from './make-batch.ts'
import { type BatchDocument, isLive } from './store.ts'

/** A line of an error file contains the provider's answer. */
const maxErrorBytes = 104_857_600

/** Errors: 409 `conflict` for a batch that is running, has no failed lines, or whose files no longer exist. */
export async function retryBatch(
  parts: CreateParts,
  request: EndpointRequest,
  batch: BatchDocument,
): Promise<JsonObject> {
  const { context, files } = parts
  const { data, workspace_id: workspaceId } = batch
  const place = callerOf(request)
  if (isLive(batch)) throw conflict('The batch has not ended yet.', 'path/batch_id')
  if (data.error_file_id === null) throw conflict('The batch has no failed lines.', 'path/batch_id')
  const find = (id: string) => files.findDocument(id, workspaceId ?? '')
  const input = await find(data.input_document ?? '')
  const errors = await find(readId('file', data.error_file_id)?.id ?? '')
  if (input === null || errors === null)
    throw conflict('The input or the error file of the batch no longer exists.', 'path/batch_id')
  const failed = await failedIds(await files.read(errors))
  const written = await files.write(place, linesOf(await files.read(input), data.endpoint, failed))
  const [file] = await files.commit(place, [{ written, file: copyOf(context.now(), parts, input) }])
  if (file === undefined) throw new Error('The file was not created.')
  const body = {
    input_file_id: data.input_file_id,
    completion_window: 'immediate' as const,
    endpoint: data.endpoint,
    metadata: data.metadata,
    ...(data.model === null ? {} : { model: data.model }),
  }
  return make(parts, request, {
    headers: headersOf(parts, batch),
    body,
    file,
    owner: data.owner,
    provider: null,
    retryOf: batch,
  })
}

const copyOf = (nowMs: number, { context }: CreateParts, { data }: DocumentOf<'file'>) => ({
  owner: data.owner,
  filename: data.filename,
  purpose: 'batch',
  contentType: data.content_type,
  expiresAt: nowMs + context.files().retentionDays * 86_400_000,
})

/** The config and credential of the original batch, independent of the retry request. */
const headersOf = ({ context }: CreateParts, { id, data }: BatchDocument) =>
  JSON.parse(context.sealer.open(data.sealed_headers, `batch/${id}`)) as Record<string, string>

async function failedIds(source: AsyncIterable<Uint8Array>): Promise<Set<string>> {
  const failed = new Set<string>()
  for await (const { text } of readLines(source, maxErrorBytes)) {
    const line: unknown = JSON.parse(text ?? 'null')
    if (isObject(line) && typeof line.custom_id === 'string') failed.add(line.custom_id)
  }
  return failed
}

async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  endpoint: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<Uint8Array> {
  for await (const read of readLines(source, maxCheckedLineBytes)) {
    const { line } = readLine(read, endpoint)
    if (line !== null && wanted.has(line.customId)) yield Buffer.from(`${read.text}\n`)
  }
}
