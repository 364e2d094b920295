/**
 * A Message Batch: https://platform.claude.com/docs/en/api/creating-message-batches It has no metadata, so the ids of
 * its requests identify it: the gateway's batch id and the line's number. Only results show these ids; until then a
 * batch is matched by its time and number of requests.
 */
import { type BatchResult, isObject, type JsonObject } from '@gateway/contract'
import type { BatchDocument } from '../batches/store.ts'
import { type Ask, objectOf, type ProviderCalls, parse } from './provider-calls.ts'
import { readLines } from './read-lines.ts'

const path = '/v1/messages/batches'
const maxLineBytes = 104_857_600
const mostPages = 50
/** The maximum delay of a provider's clock. */
const skewMs = 60_000

const statuses: Readonly<Record<string, string>> = {
  in_progress: 'in_progress',
  canceling: 'cancelling',
  ended: 'completed',
}

/** https://platform.claude.com/docs/en/api/errors */
const statusOfError: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

export function messageBatch(ask: Ask, { id: batchId }: Pick<BatchDocument, 'id'>): ProviderCalls {
  const mark = batchId.replaceAll('-', '')
  const isMarked = async (details: JsonObject): Promise<boolean> => {
    for await (const { key } of results(ask, details)) return key.startsWith(`${mark}-`)
    return true
  }
  return {
    keyOf: ({ number }) => `${mark}-${number}`,
    writeLine: ({ key, body }) => JSON.stringify({ custom_id: key, params: body }),
    upload: null,
    async create({ content }) {
      const requests: JsonObject[] = []
      for await (const { text } of readLines(await content(), maxLineBytes)) {
        const request = parse(text ?? '')
        if (isObject(request)) requests.push(request)
      }
      return objectOf(await ask('POST', path, { body: { requests } }))
    },
    async findCreated({ startedAt, lines, isOther }) {
      for await (const one of listed(ask, startedAt)) {
        if (createdAt(one) < startedAt - skewMs || requestsOf(one) !== lines) continue
        if (await isOther(String(one.id))) continue
        if (one.processing_status !== 'ended' || (await isMarked(one))) return one
      }
      return null
    },
    isOurs: isMarked,
    async retrieve(batchId) {
      const details = objectOf(await ask('GET', `${path}/${encodeURIComponent(batchId)}`))
      const { processing_status: status, request_counts: counts } = details
      return {
        status: statuses[String(status)] ?? 'in_progress',
        counts: isObject(counts)
          ? { completed: Number(counts.succeeded ?? 0), failed: Number(counts.errored ?? 0) }
          : null,
        errors: [],
        details,
      }
    },
    async cancel(batchId) {
      await ask('POST', `${path}/${encodeURIComponent(batchId)}/cancel`, { body: {} })
    },
    results: (details) => results(ask, details),
  }
}

async function* results(ask: Ask, { id }: JsonObject): AsyncGenerator<BatchResult> {
  const answer = await ask('GET', `${path}/${encodeURIComponent(String(id))}/results`)
  if (answer.stream === null) return
  for await (const { text } of readLines(answer.stream, maxLineBytes)) {
    const result = readResult(text)
    if (result !== null) yield result
  }
}

/** The batches, newest first, back to the time at which they may have been created. */
async function* listed(ask: Ask, sinceMs: number): AsyncGenerator<JsonObject> {
  let after = ''
  for (let page = 0; page < mostPages; page += 1) {
    const { data, has_more: hasMore } = objectOf(await ask('GET', `${path}?limit=100${after}`))
    const batches = Array.isArray(data) ? data.filter(isObject) : []
    yield* batches
    const last = batches.at(-1)
    if (hasMore !== true || last === undefined || createdAt(last) < sinceMs - skewMs) return
    after = `&after_id=${encodeURIComponent(String(last.id))}`
  }
}

const createdAt = ({ created_at: at }: JsonObject): number => Date.parse(String(at)) || 0

const requestsOf = ({ request_counts: counts }: JsonObject): number =>
  isObject(counts) ? Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0) : 0

function readResult(text: string | null): BatchResult | null {
  const line = parse(text ?? '')
  if (!isObject(line) || typeof line.custom_id !== 'string' || !isObject(line.result)) return null
  const { custom_id: key, result } = line
  if (result.type === 'succeeded' && isObject(result.message))
    return { key, answer: { status: 200, body: result.message } }
  if (result.type === 'errored' && isObject(result.error)) {
    const inner = isObject(result.error.error) ? result.error.error : result.error
    return { key, answer: { status: statusOfError[String(inner.type)] ?? 500, body: result.error } }
  }
  const code = result.type === 'expired' ? 'batch_expired' : 'batch_cancelled'
  return {
    key,
    answer: { code, message: `The provider ended this line with the result ${String(result.type)}.` },
  }
}
