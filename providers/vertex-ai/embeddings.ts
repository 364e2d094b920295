/**
 * Embeddings. The text models accept up to 250 texts per prediction; the Gemini models accept one text per call, so
 * several texts need several calls, eight in parallel.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 * Errors: `UpstreamFault` with the provider's answer to the first call that failed; `upstream_unreachable`.
 */

import {
  GatewayError,
  type HttpEndpoint,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import {
  answerFault,
  type Embedded,
  embedContentDialect,
  embedContentRequest,
  embeddingList,
  embeddingTexts,
  geminiError,
  parseObject,
  predictEmbedDialect,
  predictRequest,
  readEmbedding,
  readPredictions,
} from '@gateway/provider-kit'
import { modelPath } from './address.ts'
import { embedsContents, type Model } from './model.ts'

const callsAtOnce = 8
const callTimeoutMs = 60_000

/** The call for one model; older models use predictions. */
interface Way {
  action: 'predict' | 'embedContent'
  dialect: HttpEndpoint['dialect']
  request(body: JsonObject, text: string): JsonObject
  read(answer: JsonObject): Embedded
}

const prediction: Way = {
  action: 'predict',
  dialect: predictEmbedDialect,
  request: (body, text) => predictRequest(body, [text]),
  read: readPredictions,
}

const content: Way = {
  action: 'embedContent',
  dialect: embedContentDialect,
  request: embedContentRequest,
  read: readEmbedding,
}

/** Embeddings of one of Google's models. */
export function googleEmbeddings(model: Model, body: JsonObject): HttpEndpoint | ProcedureEndpoint {
  const isGemini = model.name.includes('gemini') || model.name.includes('maas')
  const way = embedsContents(model) ? content : prediction
  const isMany = Array.isArray(body.input) && body.input.length > 1
  return isGemini && isMany ? oneByOne(model, way) : atOnce(model, way)
}

function atOnce(model: Model, { action, dialect }: Way): HttpEndpoint {
  return {
    kind: 'http',
    method: 'POST',
    path: (_body, settings) => modelPath(settings, model, action),
    dialect,
  }
}

function oneByOne(model: Model, way: Way): ProcedureEndpoint {
  return {
    kind: 'procedure',
    async run(body, context) {
      const texts = embeddingTexts(body, context.settings.provider)
      const url = `${context.baseUrl}${modelPath(context.settings, model, way.action)}`
      const embedded = await inTurns(texts, async (text) => {
        const answer = await post(url, way.request(body, text), context)
        return way.read(answer)
      })
      const list = embeddingList({
        vectors: embedded.flatMap(({ vectors }) => vectors),
        request: body,
        model: body.model,
        promptTokens: embedded.reduce((sum, { tokens }) => sum + tokens, 0),
      })
      return { status: 200, headers: {}, body: list, stream: null }
    },
  }
}

/** Maps in order with limited concurrency; the first failure ends it. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += callsAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + callsAtOnce).map(run))))
  }
  return results
}

async function post(url: string, body: JsonObject, context: ProcedureContext): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const request = await context.authorize({ method: 'POST', url, headers, body: JSON.stringify(body) })
  const answer = await context.fetch({
    method: 'POST',
    url: request.url,
    headers: request.headers,
    body: request.body ?? '',
    timeoutMs: callTimeoutMs,
  })
  const parsed = parseObject(answer.bytes.toString('utf8'))
  if (answer.status >= 400) throw answerFault(answer, parsed, geminiError)
  if (answer.status !== 200 || parsed === null) {
    throw new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.')
  }
  return parsed
}
