/**
 * Fetches the input of a batch that runs here from the provider that has the file. Errors: 400 `invalid_file` if it
 * cannot be fetched.
 */
import {
  type EndpointRequest,
  type InferenceCharge,
  type InferenceRequest,
  type ServiceContext,
  wellFormed,
} from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import type { FileLibrary } from '../files/library.ts'
import { callerOf } from '../shared/caller.ts'
import { invalidFile, tooLarge } from '../shared/faults.ts'

const batchBytes = 209_715_200

export async function fetchInput(
  { context, files }: { context: ServiceContext<'files' | 'now' | 'runInference'>; files: FileLibrary },
  request: EndpointRequest,
  { input_file_id: id }: { input_file_id: string },
): Promise<DocumentOf<'file'>> {
  const { identity: _, ...place } = callerOf(request)
  const source = await openInput(context, request, { id })
  const written = await files.write(place, bounded(source))
  const file = {
    owner: 'gateway' as const,
    filename: `${id.slice(0, 200)}.jsonl`,
    purpose: 'batch',
    contentType: 'application/jsonl',
    expiresAt: context.now() + context.files().retentionDays * 86_400_000,
  }
  const [made] = await files.commit(place, [{ written, file }])
  if (made === undefined) throw new Error('The file was not created.')
  return made
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > batchBytes)
      throw tooLarge(
        `The file is larger than ${batchBytes} bytes, the maximum for batches.`,
        '/input_file_id',
      )
    yield chunk
  }
}

/** The bytes of a file of the provider, read outside the limits, which apply to the batch itself. */
export function openInputApart(
  context: ServiceContext<'counters' | 'now' | 'runInference'>,
  request: EndpointRequest,
  id: string,
): Promise<AsyncIterable<Uint8Array>> {
  const charge = ({ id: held }: InferenceCharge) => void context.counters.settle(held, [], context.now())
  return openInput(context, request, {
    id,
    apart: { isExempt: true, records: { entry: () => undefined, charge } },
  })
}

interface OpenInputOptions {
  id: string
  apart?: Pick<InferenceRequest, 'isExempt' | 'records'>
}

async function openInput(
  context: ServiceContext<'runInference'>,
  request: EndpointRequest,
  { id, apart = {} }: OpenInputOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { identity } = callerOf(request)
  const answer = await context.runInference({
    method: 'GET',
    path: `/v1/files/${encodeURIComponent(wellFormed(id))}/content`,
    body: null,
    identity,
    headers: request.laterHeaders(),
    clientIp: request.clientIp,
    signal: request.signal,
    ...apart,
  })
  if (answer.status === 200 && answer.stream !== null) return answer.stream
  await answer.stream?.return?.()
  throw invalidFile(
    '/input_file_id',
    `the file could not be read from its provider (status ${answer.status})`,
  )
}
