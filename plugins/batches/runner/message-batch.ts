/** A Message Batch: https://platform.claude.com/docs/en/api/creating-message-batches */
import { isObject, type JsonObject } from '@gateway/contract'
import { type Ask, objectOf, type ProviderCalls, type ProviderResult, parse } from './provider-calls.ts'
import { readLines } from './read-lines.ts'

const path = '/v1/messages/batches'
const maxLineBytes = 104_857_600

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

export function messageBatch(ask: Ask): ProviderCalls {
  return {
    writeLine: ({ customId, body }) => JSON.stringify({ custom_id: customId, params: body }),
    upload: null,
    async create(_fileId, content) {
      const requests: JsonObject[] = []
      for await (const { text } of readLines(await content(), maxLineBytes)) {
        const request = parse(text ?? '')
        if (isObject(request)) requests.push(request)
      }
      return objectOf(await ask('POST', path, { body: { requests } }))
    },
    // A Message Batch has no room for a mark: the one that was created last is not known.
    findCreated: async () => null,
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
    async *results({ id }) {
      const answer = await ask('GET', `${path}/${encodeURIComponent(String(id))}/results`)
      if (answer.stream === null) return
      for await (const { text } of readLines(answer.stream, maxLineBytes)) {
        const result = readResult(text)
        if (result !== null) yield result
      }
    },
  }
}

function readResult(text: string | null): ProviderResult | null {
  const line = parse(text ?? '')
  if (!isObject(line) || typeof line.custom_id !== 'string' || !isObject(line.result)) return null
  const { custom_id: customId, result } = line
  if (result.type === 'succeeded' && isObject(result.message))
    return { customId, answer: { status: 200, body: result.message } }
  if (result.type === 'errored' && isObject(result.error)) {
    const inner = isObject(result.error.error) ? result.error.error : result.error
    return { customId, answer: { status: statusOfError[String(inner.type)] ?? 500, body: result.error } }
  }
  const code = result.type === 'expired' ? 'batch_expired' : 'batch_cancelled'
  return { customId, answer: { code, message: `The provider ended this line as ${String(result.type)}.` } }
}
