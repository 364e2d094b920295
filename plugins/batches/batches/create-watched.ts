/**
 * Batches that callers create at their provider. Their estimated usage is reserved, and they are polled until they end,
 * when they are charged once. Errors: 412 `usage_limit_exceeded`.
 */
import { type BatchNeed, type EndpointRequest, type EndpointTarget, isObject } from '@gateway/contract'
import type { ProviderBatch } from '../shared/entities.ts'
import { openInputApart } from './fetch-input.ts'
import { holdMs, keepHold, releaseHold } from './hold.ts'
import { type BatchBody, type CreateParts, draftOf } from './make-batch.ts'
import { readNeeds } from './need.ts'
import { atProvider, formatOf } from './provider-of.ts'

export async function createAtProvider(
  parts: CreateParts,
  request: EndpointRequest,
  { targets, body }: { targets: readonly EndpointTarget[]; body: BatchBody },
): Promise<null> {
  const [target, ...others] = targets
  // The runner's submissions are charged with the batch that they belong to. More than one target is refused.
  if (request.isExempt || target === undefined || others.length > 0) {
    await request.forward(request.body)
    return null
  }
  const { endpoint, model = null } = body
  return createWatched(parts, request, {
    target,
    format: formatOf(target, endpoint),
    body,
    need: async () =>
      readNeeds(await openInputApart(parts.context, request, body.input_file_id), {
        endpoint,
        maxLineBytes: parts.context.bodyLimitBytes(),
        model,
      }),
  })
}

interface Watched {
  target: EndpointTarget
  /** Null for a provider that will refuse the batch. */
  format: ProviderBatch['format'] | null
  body: BatchBody
  need(): Promise<BatchNeed[]>
}

/**
 * Creates a batch at the provider: reserves its estimated usage, and stores it until it ends, when it is charged once.
 */
export async function createWatched(
  { context, nudge }: Pick<CreateParts, 'context' | 'nudge'>,
  request: EndpointRequest,
  { target, format, body, need }: Watched,
): Promise<null> {
  const hold =
    format === null ? null : keepHold(context, await request.reserveBatch(body.endpoint, holdMs, need))
  let isKept = false
  try {
    const { status, body: answered } = await request.forward(request.body)
    if (format === null || status >= 300 || !isObject(answered) || typeof answered.id !== 'string')
      return null
    const ids = { batch_id: answered.id, isPrepared: true, isWatched: true, hold }
    const provider = { ...atProvider(target, format, body), ...ids }
    const batch = draftOf(context, request, { body, file: null, owner: 'gateway', provider })
    const document = {
      ...batch,
      status: 'in_progress',
      // These batches are in no list of the gateway: callers list them at the provider.
      attributes: { owner: ['provider'], provider_batch: [answered.id] },
      data: { ...batch.data, times: { in_progress_at: context.now() } },
    }
    await context.documents.commit([{ op: 'put', document, expected: 0 }])
    isKept = true
    nudge()
    return null
  } finally {
    if (!isKept) await releaseHold(context, hold)
  }
}
