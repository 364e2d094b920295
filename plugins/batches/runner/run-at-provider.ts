/**
 * A batch whose lines a provider runs: each line is prepared as the pipeline would send it (guardrails, overrides, the
 * provider's format), submitted once, polled, and each answer goes back through the pipeline, which checks, prices and
 * logs it. What the provider gave an id is kept before the next step, so that nothing is submitted twice.
 */
import type { JsonObject } from '@gateway/contract'
import { derivedId } from '@gateway/core/domain'
import type { BatchDocument } from '../batches/store.ts'
import type { ProviderBatch } from '../shared/entities.ts'
import { type BatchLine, readLine } from './check-lines.ts'
import { createCommits, type ResultCommits } from './commit-results.ts'
import {
  failRest,
  maxLineBytes,
  openHeaders,
  type RunnerParts,
  type Running,
  sumsOf,
  tallyOf,
} from './common.ts'
import { compatibleBatch } from './compatible-batch.ts'
import { messageBatch } from './message-batch.ts'
import { createAsk, type ProviderCalls, ProviderRefusal, type ProviderResult } from './provider-calls.ts'
import { readLines } from './read-lines.ts'
import { askLine, type LineCaller, refusedLine, resultOf } from './run-line.ts'

/** Lines that are prepared, or whose answers are booked, at once. */
const atOnce = 25
/** After a fault of the provider that passes. */
const tryAgainMs = 5000
/** A provider that never ends a batch is given this much longer than the batch has. */
const patienceMs = 3_600_000

interface Work extends Running {
  parts: RunnerParts
  calls: ProviderCalls
  headers: Readonly<Record<string, string>>
  commits: ResultCommits
  done: Set<number>
}

export async function runAtProvider(parts: RunnerParts, running: Running): Promise<'done' | 'left'> {
  const { context, handOver, batches } = parts
  const { batch, fence } = running
  const { id } = batch
  const headers = openHeaders(context, batch)
  const slug = batch.data.provider?.slug ?? null
  const ask = createAsk({ context, batch, headers, slug })
  const calls = batch.data.provider?.format === 'messages' ? messageBatch(ask) : compatibleBatch(ask, batch)
  const commits = createCommits({ context, id, fence, handOver })
  const done = new Set(await context.ports.work.positions(id))
  const work: Work = { ...running, parts, calls, headers, commits, done }
  try {
    if (!(await submit(work))) return running.leave.aborted ? 'left' : await close(work, null)
    const details = await poll(work)
    if (details === null) return 'left'
    return providerOf(batch).isWatched ? await bookWatched(work, details) : await close(work, details)
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || error.isPassing) throw error
    await batches.change(id, ({ data }) => ({
      status: 'failed',
      data: {
        errors: [{ code: error.code, message: error.message, param: null, line: null }],
        times: { ...data.times, failed_at: context.now() },
      },
    }))
    return 'done'
  }
}

const providerOf = ({ data }: BatchDocument): ProviderBatch => {
  if (data.provider === null) throw new Error('The batch has no provider.')
  return data.provider
}

async function keep({ parts, batch }: Work, change: Partial<ProviderBatch>): Promise<BatchDocument> {
  const kept = await parts.batches.change(batch.id, (seen) => ({
    data: { provider: { ...providerOf(seen), ...change } },
  }))
  if (kept === null) throw new Error('The batch is gone.')
  return kept
}

/** False when nothing is to be submitted: every line was refused, or the batch was cancelled before. */
async function submit(work: Work): Promise<boolean> {
  const { parts, batch, calls, leave, done } = work
  let current = await keep(work, {})
  if (providerOf(current).batch_id !== null) return true
  if (current.status !== 'in_progress' || leave.aborted) return false
  const wire = { key: `${batch.workspace_id}/${derivedId(`${batch.id}/wire`)}` }
  if (!providerOf(current).isPrepared) {
    const place = { organisationId: batch.organisation_id ?? '', workspaceId: batch.workspace_id ?? '' }
    await parts.files.write(place, prepared(work), derivedId(`${batch.id}/wire`))
    current = await keep(work, { isPrepared: true })
  } else {
    const created = await calls.findCreated()
    if (created !== null) {
      await keep(work, { batch_id: String(created.id), details: created })
      return true
    }
  }
  if (done.size >= current.data.counts.total) return false
  const content = async () => {
    const bytes = await parts.files.open(wire)
    if (bytes === null) throw new Error('What was prepared for the provider is gone.')
    return bytes
  }
  let fileId = providerOf(current).file_id
  if (fileId === null && calls.upload !== null) {
    fileId = await calls.upload(await content())
    await keep(work, { file_id: fileId })
  }
  const created = await calls.create(fileId, content)
  await keep(work, { batch_id: String(created.id), details: created })
  await parts.files.discard(wire)
  return true
}

/** The lines as the provider gets them; those that are refused before have their results then. */
async function* prepared(work: Work): AsyncGenerator<Uint8Array> {
  for await (const lines of chunksOf(work, (line) => !work.done.has(line.number))) {
    const bodies = await Promise.all(lines.map((line) => prepare(work, line)))
    const texts = bodies.flatMap((body, index) => {
      const line = lines[index]
      return body === null || line === undefined
        ? []
        : [`${work.calls.writeLine({ customId: line.customId, body })}\n`]
    })
    if (texts.length > 0) yield Buffer.from(texts.join(''))
  }
}

async function* chunksOf(
  { parts: { files }, batch }: Work,
  isWanted: (line: BatchLine) => boolean,
): AsyncGenerator<BatchLine[]> {
  const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
  if (file === null) throw new ProviderRefusal(404, 'invalid_file', 'The input file is gone.')
  let chunk: BatchLine[] = []
  for await (const read of readLines(await files.read(file), maxLineBytes)) {
    const { line } = readLine(read, batch.data.endpoint)
    if (line === null || !isWanted(line)) continue
    chunk.push(line)
    if (chunk.length < atOnce) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** The body in the provider's format; null for a line that is refused. */
async function prepare(work: Work, line: BatchLine): Promise<JsonObject | null> {
  const { parts, batch, headers, commits, done } = work
  if (line.body.stream === true) {
    const message = '/stream: the lines of a batch cannot stream'
    await commits.add(
      refusedLine(batch.id, line, { status: 400, code: 'invalid_body', message, param: '/stream' }),
    )
    done.add(line.number)
    return null
  }
  let body: JsonObject | null = null
  const caller: LineCaller = { batch, headers, signal: new AbortController().signal }
  const answer = await askLine(parts.context, caller, line, {
    isTrial: true,
    async answer(sent) {
      body = sent
      return { status: 400, body: { error: { message: 'This line is sent as part of a batch.' } } }
    },
  })
  if (body !== null) return body
  await commits.add(resultOf(batch.id, line, { ...answer, charges: [] }))
  done.add(line.number)
  return null
}

const endStates: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled'])

/** The provider's batch when it has ended; null when this process has to let go. */
async function poll(work: Work): Promise<JsonObject | null> {
  const { parts, batch, calls, leave } = work
  const { context, batches } = parts
  let isCancelled = false
  let isAsked = false
  let wake: () => void = () => undefined
  const unwatch = work.watch((seen) => {
    if (seen.status === 'cancelling') isCancelled = true
    wake()
  })
  leave.addEventListener('abort', () => wake(), { once: true })
  try {
    for (;;) {
      if (leave.aborted) return null
      const seen = await batches.get(batch.id)
      if (seen === null) return null
      const batchId = providerOf(seen).batch_id ?? ''
      isCancelled ||= seen.status === 'cancelling'
      let waitMs = context.batches().pollMs
      try {
        if (isCancelled && !isAsked) await calls.cancel(batchId)
        isAsked = isCancelled
        const state = await calls.retrieve(batchId)
        await keepState(work, state)
        if (endStates.has(state.status)) return state.details
      } catch (error) {
        if (
          !(error instanceof ProviderRefusal) ||
          !(error.isPassing || (isCancelled && error.status === 409))
        )
          throw error
        isAsked = isCancelled
        waitMs = Math.min(waitMs, tryAgainMs)
      }
      if (context.now() > batch.data.expires_at + patienceMs) return {}
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isCancelled ? Math.min(waitMs, tryAgainMs) : waitMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    unwatch()
  }
}

async function keepState(
  { parts, batch, done }: Work,
  { counts, details, status }: Awaited<ReturnType<ProviderCalls['retrieve']>>,
): Promise<void> {
  await parts.batches.change(
    batch.id,
    ({ data }) => ({
      data: {
        provider: data.provider === null ? null : { ...data.provider, details },
        ...(counts === null || endStates.has(status)
          ? {}
          : { counts: { ...data.counts, completed: counts.completed, failed: counts.failed + done.size } }),
      },
    }),
    true,
  )
}

/** Books every answer, then says how the batch ended. */
async function close(work: Work, details: JsonObject | null): Promise<'done' | 'left'> {
  const { parts, batch, calls, commits, done, leave } = work
  const { context, batches, files } = parts
  const status = details === null ? 'completed' : String(details.status ?? 'completed')
  if (details !== null) await book(work, calls.results(details))
  if (leave.aborted) return 'left'
  const tally = await tallyOf(parts, batch.id)
  if (status === 'failed' && tally.completed + tally.failed === 0) {
    await batches.change(batch.id, ({ data }) => ({
      status: 'failed',
      data: { errors: errorsOf(details), times: { ...data.times, failed_at: context.now() } },
    }))
    return 'done'
  }
  const current = await batches.get(batch.id)
  const isCancelled = current?.status === 'cancelling' || status === 'cancelled'
  if (!isCancelled) {
    const file = await files.findDocument(batch.data.input_document ?? '', batch.workspace_id ?? '')
    if (file !== null) await failRest(await files.read(file), { batch, done, commits })
  }
  const sums = await tallyOf(parts, batch.id)
  if (status === 'expired' && !isCancelled) return 'done'
  await batches.change(batch.id, (seen) => {
    if (seen.status !== 'in_progress') return null
    const at = context.now()
    return isCancelled
      ? { status: 'cancelling', data: { times: { ...seen.data.times, cancelling_at: at } } }
      : {
          status: 'finalizing',
          data: { times: { ...seen.data.times, finalizing_at: at }, ...sumsOf(seen.data, sums) },
        }
  })
  return 'done'
}

function errorsOf(details: JsonObject | null) {
  const errors = details?.errors
  const listed =
    typeof errors === 'object' && errors !== null && 'data' in errors && Array.isArray(errors.data)
      ? (errors.data as JsonObject[])
      : []
  const told = listed.map(({ code, message, param, line }) => ({
    code: String(code ?? 'provider_error'),
    message: String(message ?? 'The provider refused the batch.'),
    param: typeof param === 'string' ? param : null,
    line: typeof line === 'number' ? line : null,
  }))
  if (told.length > 0) return told
  return [{ code: 'provider_error', message: 'The provider refused the batch.', param: null, line: null }]
}

/** Answers come in the provider's order; the line of each is read from the input, as far as that must be read for it. */
async function book(work: Work, results: AsyncGenerator<ProviderResult>): Promise<void> {
  const input = linesWithout(work)
  const passed = new Map<string, BatchLine>()
  const find = async (customId: string): Promise<BatchLine | null> => {
    const known = passed.get(customId)
    if (known !== undefined) {
      passed.delete(customId)
      return known
    }
    for (;;) {
      const step = await input.next()
      if (step.done === true) return null
      if (step.value.customId === customId) return step.value
      passed.set(step.value.customId, step.value)
    }
  }
  let group: Promise<void>[] = []
  for await (const result of results) {
    if (work.leave.aborted) break
    const line = await find(result.customId)
    if (line === null) continue
    group.push(bookOne(work, line, result))
    if (group.length < atOnce) continue
    await Promise.all(group)
    group = []
  }
  await Promise.all(group)
  await input.return(undefined)
}

async function* linesWithout(work: Work): AsyncGenerator<BatchLine, undefined> {
  for await (const lines of chunksOf(work, (line) => !work.done.has(line.number))) yield* lines
}

/** Of a batch that is the provider's alone, whose input is not read: what it used is booked, and nothing else kept. */
async function bookWatched(work: Work, details: JsonObject): Promise<'done' | 'left'> {
  const { parts, batch, calls, done, leave } = work
  const { context, batches, handOver } = parts
  let number = 0
  for await (const result of calls.results(details)) {
    if (leave.aborted) return 'left'
    number += 1
    if (done.has(number)) continue
    const { answer, customId } = result
    const model =
      'body' in answer && typeof answer.body.model === 'string' ? { model: answer.body.model } : {}
    const body = { ...model, messages: [{ role: 'user', content: '' }], prompt: '', input: ' ' }
    await bookOne(work, { number, customId, body }, result)
  }
  const sums = await tallyOf(parts, batch.id)
  await batches.change(batch.id, ({ data }) => ({
    status: 'completed',
    data: { ...sumsOf(data, sums), times: { ...data.times, completed_at: context.now() } },
  }))
  await handOver.all()
  await context.ports.work.clear(batch.id)
  return 'done'
}

async function bookOne(work: Work, line: BatchLine, { answer }: ProviderResult): Promise<void> {
  const { parts, batch, headers, commits, done } = work
  if ('code' in answer) await commits.add(refusedLine(batch.id, line, answer))
  else {
    const caller: LineCaller = { batch, headers, signal: new AbortController().signal }
    const booked = await askLine(parts.context, caller, line, { isTrial: false, answer: async () => answer })
    await commits.add(resultOf(batch.id, line, booked))
  }
  done.add(line.number)
}
