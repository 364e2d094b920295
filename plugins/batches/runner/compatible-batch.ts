/** A batch in the OpenAI-compatible format: https://platform.openai.com/docs/api-reference/batch */
import { type BatchLines, type BatchResult, isObject, type JsonObject } from '@gateway/contract'
import type { BatchDocument } from '../batches/store.ts'
import { writeId } from '../shared/ids.ts'
import { type Ask, objectOf, type ProviderCalls, parse } from './provider-calls.ts'
import { readLines } from './read-lines.ts'
import { uploadForm } from './upload-form.ts'

/** A line of an output file contains the provider's answer. */
const maxLineBytes = 104_857_600
const mostPages = 50
/** The maximum delay of a provider's clock. */
const skewMs = 300_000

/** @param lines the provider's own format of lines; null: the compatible format */
export function compatibleBatch(
  ask: Ask,
  { id, data }: BatchDocument,
  lines: BatchLines | null = null,
): ProviderCalls {
  const idName = lines?.id ?? 'custom_id'
  const options = data.provider?.options ?? null
  const read = lines?.read ?? readCompatible
  const mark = writeId('batch', data.owner, id)
  return {
    keyOf: ({ customId, number }) =>
      idName === 'custom_id' ? customId : `L${String(number).padStart(10, '0')}`,
    writeLine: ({ key, line }) => JSON.stringify(lines?.label?.(line, key) ?? { [idName]: key, ...line }),
    async upload(content) {
      const raw = uploadForm({ purpose: 'batch', filename: 'batch.jsonl', options }, content)
      return String(objectOf(await ask('POST', '/v1/files', { raw })).id)
    },
    async create({ fileId, model: ofLines }) {
      const model = lines?.needsModel === true ? (data.model ?? ofLines) : data.model
      const body = {
        input_file_id: fileId,
        endpoint: data.endpoint,
        completion_window: '24h',
        metadata: { ...data.metadata, gateway_batch_id: mark },
        ...(options === null ? {} : { provider_options: options }),
        ...(model === null ? {} : { model }),
      }
      return objectOf(await ask('POST', '/v1/batches', { body }))
    },
    async findCreated({ startedAt }) {
      for await (const one of listed(ask, startedAt))
        if (isObject(one.metadata) && one.metadata.gateway_batch_id === mark) return one
      return null
    },
    isOurs: async () => true,
    async retrieve(batchId) {
      const details = objectOf(await ask('GET', `/v1/batches/${encodeURIComponent(batchId)}`))
      const { status, request_counts: counts, errors } = details
      const listed = isObject(errors) && Array.isArray(errors.data) ? errors.data.filter(isObject) : []
      return {
        status: String(status),
        counts: isObject(counts)
          ? { completed: Number(counts.completed ?? 0), failed: Number(counts.failed ?? 0) }
          : null,
        errors: listed,
        details,
      }
    },
    async cancel(batchId) {
      await ask('POST', `/v1/batches/${encodeURIComponent(batchId)}/cancel`, { body: {} })
    },
    async *results({ output_file_id: output, error_file_id: errors }) {
      for (const file of [output, errors]) {
        if (typeof file !== 'string' || file === '') continue
        const answer = await ask('GET', `/v1/files/${encodeURIComponent(file)}/content`)
        for await (const { text } of readLines(answer.stream ?? textOf(answer.text), maxLineBytes)) {
          const line = parse(text ?? '')
          const result = isObject(line) ? read(line) : null
          if (result !== null) yield result
        }
      }
    },
  }
}

/** The batches, newest first, back to the time at which they may have been created. */
async function* listed(ask: Ask, sinceMs: number): AsyncGenerator<JsonObject> {
  let after = ''
  for (let page = 0; page < mostPages; page += 1) {
    const { data, has_more: hasMore } = objectOf(await ask('GET', `/v1/batches?limit=100${after}`))
    const batches = Array.isArray(data) ? data.filter(isObject) : []
    yield* batches
    const last = batches.at(-1)
    const isOlder = typeof last?.created_at === 'number' && last.created_at * 1000 < sinceMs - skewMs
    if (hasMore !== true || last === undefined || isOlder) return
    after = `&after=${encodeURIComponent(String(last.id))}`
  }
}

async function* textOf(text: string | null): AsyncGenerator<Uint8Array> {
  if (text !== null) yield Buffer.from(text)
}

function readCompatible(line: JsonObject): BatchResult | null {
  if (typeof line.custom_id !== 'string') return null
  const { custom_id: key, response, error } = line
  if (isObject(response) && typeof response.status_code === 'number')
    return { key, answer: { status: response.status_code, body: bodyOf(response.body) } }
  const told: JsonObject = isObject(error) ? error : {}
  const message = typeof told.message === 'string' ? told.message : 'The provider did not answer this line.'
  return { key, answer: { code: String(told.code ?? 'upstream_error'), message } }
}

const bodyOf = (body: unknown): JsonObject => (isObject(body) ? body : {})
