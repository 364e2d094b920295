/**
 * Submits a batch to its provider, once: each line is prepared as the pipeline would send it (guardrails, overrides,
 * the provider's format), and each id from the provider is stored before the next step. If a process died, or lost the
 * answer, while creating a batch, the provider's batches are searched for it first.
 */
import type { JsonObject } from '@gateway/contract'
import { derivedId } from '@gateway/domain'
import type { BatchDocument } from '../batches/store.ts'
import type { BatchLine } from './check-lines.ts'
import { chunksOf, keep, providerOf, type Work } from './provider-work.ts'
import { askLine, type LineCaller, refusedLine, resultOf } from './run-line.ts'

/** The maximum time between the creation of a batch and its first appearance in the provider's list. */
const settleMs = 15_000
const lookAgainMs = 1000

interface Sent {
  lines: number
  /** The model of the first line with a model. */
  model: string | null
}

interface Prepared {
  body: JsonObject
  /** The request as a line of a batch. */
  line: JsonObject
}

/** False if nothing needs to be submitted: every line was refused, or the batch was cancelled. */
export async function submit(work: Work): Promise<boolean> {
  const { parts, batch, calls, leave, done } = work
  let current = await keep(work, {})
  if (providerOf(current).batch_id !== null) return true
  if (leave.aborted) return false
  const created = await findSubmitted(work, current)
  if (created !== null) {
    await keep(work, { batch_id: String(created.id), details: created })
    return true
  }
  if (leave.aborted || current.status !== 'in_progress') return false
  const wire = wireOf(batch)
  if (!providerOf(current).isPrepared) {
    const place = { organisationId: batch.organisation_id ?? '', workspaceId: batch.workspace_id ?? '' }
    const sent: Sent = { lines: 0, model: null }
    await parts.files.write(place, prepared(work, sent), derivedId(`${batch.id}/wire`))
    current = await keep(work, { isPrepared: true, ...sent })
  }
  if (done.size >= current.data.counts.total) return false
  const content = async () => {
    const bytes = await parts.files.open(wire)
    if (bytes === null) throw new Error('The prepared lines of the batch no longer exist.')
    return bytes
  }
  let fileId = providerOf(current).file_id
  if (fileId === null && calls.upload !== null) {
    fileId = await calls.upload(await content())
    await keep(work, { file_id: fileId })
  }
  await keep(work, { submitting_at: parts.context.now() })
  const { model = null } = providerOf(current)
  const answered = await calls.create({ fileId, content, model })
  await keep(work, { batch_id: String(answered.id), details: answered })
  return true
}

const wireOf = (batch: BatchDocument) => ({
  key: `${batch.workspace_id}/${derivedId(`${batch.id}/wire`)}`,
})

/** The prepared data is no longer needed. */
export const discardWire = ({ parts, batch }: Work): Promise<void> => parts.files.discard(wireOf(batch))

/** The batch of a submission whose answer was lost; null if nothing was submitted or the provider has no such batch. */
async function findSubmitted({ parts, batch, calls, leave }: Work, current: BatchDocument) {
  const { submitting_at: startedAt, lines = 0, passed_over: passedOver = [] } = providerOf(current)
  if (startedAt == null) return null
  const { context, batches } = parts
  const isOther = async (batchId: string) =>
    passedOver.includes(batchId) || (await batches.hasProviderBatch(batch, batchId))
  for (;;) {
    const created = await calls.findCreated({ startedAt, lines, isOther })
    if (created !== null || leave.aborted || context.now() - startedAt > settleMs) return created
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }
}

/** The lines in the provider's format. A line that is refused here gets its result immediately. */
async function* prepared(work: Work, sent: Sent): AsyncGenerator<Uint8Array> {
  for await (const lines of chunksOf(work)) {
    const bodies = await Promise.all(lines.map((line) => prepare(work, line)))
    const texts = bodies.flatMap((request, index) => {
      const line = lines[index]
      if (request === null || line === undefined) return []
      sent.model ??= modelOf(line.body)
      return [`${work.calls.writeLine({ key: work.calls.keyOf(line), ...request })}\n`]
    })
    sent.lines += texts.length
    if (texts.length > 0) yield Buffer.from(texts.join(''))
  }
}

/** The model without the slug of a credential. */
const modelOf = ({ model }: JsonObject): string | null =>
  typeof model === 'string' ? model.replace(/^@[^/]+\//, '') : null

/** The request in the provider's format. Null for a refused line. */
async function prepare(work: Work, line: BatchLine): Promise<Prepared | null> {
  const { parts, batch, headers, commits, done } = work
  if (line.body.stream === true) {
    const message = '/stream: the lines of a batch cannot stream'
    await commits.add(
      refusedLine(batch.id, line, { status: 400, code: 'invalid_body', message, param: '/stream' }),
    )
    done.add(line.number)
    return null
  }
  const sent: Prepared[] = []
  const caller: LineCaller = { batch, headers, signal: new AbortController().signal }
  const answer = await askLine(parts.context, caller, {
    line,
    provider: {
      isTrial: true,
      async answer(request) {
        sent.push(request)
        return { status: 400, body: { error: { message: 'This line is sent as part of a batch.' } } }
      },
    },
  })
  const last = sent.at(-1)
  if (last !== undefined) return last
  await commits.add(resultOf(batch.id, line, { ...answer, charges: [] }))
  done.add(line.number)
  return null
}
