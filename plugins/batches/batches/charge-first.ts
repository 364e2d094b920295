/**
 * Deletes objects from which the usage of a batch is read: a Message Batch with its results, or the output file of a
 * batch. If a batch created through the gateway has ended and is not charged yet, it is charged first. Errors: 409
 * `conflict` when that takes too long.
 */
import type { EndpointRequest, JsonObject } from '@gateway/contract'
import { openHeaders } from '../runner/common.ts'
import { createAsk, objectOf, ProviderRefusal } from '../runner/provider-calls.ts'
import { callerOf } from '../shared/caller.ts'
import { conflict } from '../shared/faults.ts'
import type { CreateParts } from './make-batch.ts'
import { type BatchDocument, type BatchStore, isLive } from './store.ts'

type Parts = Pick<CreateParts, 'context'> & { batches: BatchStore }

const mostWaitMs = 20_000
/** The interval for checking again, because another process may be charging it. */
const lookAgainMs = 200

export async function chargeMessagesFirst(parts: Parts, request: EndpointRequest): Promise<void> {
  const id = request.params.message_batch_id ?? ''
  for (const batch of await parts.batches.watched({ providerBatchId: id })) {
    const seen = await askProvider(parts, batch, '/v1/messages/batches')
    // The provider itself refuses to delete one that is still running.
    if (seen?.processing_status === 'ended') await charge(parts, batch, 'path/message_batch_id')
  }
}

export async function chargeFileFirst(parts: Parts, request: EndpointRequest): Promise<void> {
  const fileId = request.params.file_id ?? ''
  const { workspaceId } = callerOf(request)
  for (const batch of await parts.batches.watched({ workspaceId })) {
    if (batch.data.provider?.format !== 'file') continue
    const seen = await askProvider(parts, batch, '/v1/batches')
    if (seen?.output_file_id === fileId || seen?.error_file_id === fileId)
      await charge(parts, batch, 'path/file_id')
  }
}

/** The provider's state of the batch, requested with its creator's credential. Null if the provider returns none. */
async function askProvider(
  { context }: Parts,
  batch: BatchDocument,
  path: string,
): Promise<JsonObject | null> {
  const { slug = null, batch_id: id = null } = batch.data.provider ?? {}
  const ask = createAsk({ context, batch, headers: openHeaders(context, batch), slug })
  try {
    return objectOf(await ask('GET', `${path}/${encodeURIComponent(id ?? '')}`))
  } catch (error) {
    if (error instanceof ProviderRefusal) return null
    throw error
  }
}

/** Requests that the process that watches the batch polls it now, and waits until it is charged. */
async function charge({ context, batches }: Parts, { id }: BatchDocument, param: string): Promise<void> {
  const asked = await batches.change(id, (batch) =>
    isLive(batch) && batch.data.provider !== null
      ? { data: { provider: { ...batch.data.provider, wanted_at: context.now() } } }
      : null,
  )
  const until = performance.now() + mostWaitMs
  for (let seen = asked; seen !== null && isLive(seen); seen = await batches.get(id)) {
    if (performance.now() > until)
      throw conflict(
        'The usage of this batch is still being charged. Repeat the deletion in a minute.',
        param,
      )
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }
}
