/**
 * Embeddings: `/api/embed` accepts all inputs in one call. Older and compatible servers lack it or answer in the
 * older format; there each input is sent separately to `/api/embeddings`.
 * Reference: https://docs.ollama.com/api/embed, https://github.com/ollama/ollama/blob/main/docs/api.md
 * Errors: `UpstreamFault` with the server's status; `upstream_unreachable`; those of the dialect.
 */

import {
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
} from '@gateway/contract'
import {
  answerFault,
  compatibleError,
  embeddingList,
  embeddingTexts,
  ollamaEmbedDialect,
  parseObject,
} from '@gateway/provider-kit'
import { nativeUrl } from './address.ts'

/** The server may have to load the model first; the request's own timeout can be shorter. */
const timeoutMs = 600_000
const maxBytes = 256 * 1_048_576

interface Reply {
  status: number
  headers: Readonly<Record<string, string>>
  body: JsonObject | null
}

export async function embed(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const reply = await post('/api/embed', ollamaEmbedDialect.request(body, context), context)
  const answered = isOlder(reply) ? await embedEach(body, context) : null
  const answer = answered ?? ollamaEmbedDialect.answer(bodyOf(reply), context)
  return { status: 200, headers: {}, body: answer, stream: null }
}

function isOlder({ status, body }: Reply): boolean {
  return status === 404 || (body !== null && body.embeddings === undefined && Array.isArray(body.embedding))
}

/** The older endpoint, one input per call; null when the server lacks it or the model. */
async function embedEach(body: JsonObject, context: ProcedureContext): Promise<JsonObject | null> {
  const { model, options, keep_alive } = body
  const vectors: (Json | undefined)[] = []
  for (const prompt of embeddingTexts(body, context.settings.provider)) {
    const reply = await post('/api/embeddings', { model, prompt, options, keep_alive }, context)
    if (reply.status === 404) return null
    vectors.push(bodyOf(reply).embedding)
  }
  return embeddingList({ vectors, request: context.request, model, promptTokens: 0 })
}

async function post(path: string, wire: JsonObject, context: ProcedureContext): Promise<Reply> {
  const { url, headers, body } = await context.authorize({
    method: 'POST',
    url: nativeUrl(`${context.baseUrl ?? ''}${path}`),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(wire),
  })
  const sent = { method: 'POST', url, headers, body: body ?? undefined, timeoutMs, maxBytes } as const
  const answer = await context.fetch(sent)
  return { status: answer.status, headers: answer.headers, body: parseObject(answer.bytes.toString('utf8')) }
}

function bodyOf({ status, headers, body }: Reply): JsonObject {
  if (status >= 400) throw answerFault({ status, headers }, body, compatibleError)
  if (status === 200 && isObject(body)) return body
  throw new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.')
}
