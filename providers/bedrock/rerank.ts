/**
 * Rerank with the agent runtime service: texts as inline sources, the model as a resource name.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html
 * Errors: those of invoke.ts.
 */
import type {
  Json,
  JsonObject,
  ProcedureAnswer,
  ProcedureContext,
  ProcedureEndpoint,
  ProviderSettings,
} from '@gateway/contract'
import { objectsOf, rerankDialect } from '@gateway/provider-kit'
import { modelOf, serviceUrlFor } from './address.ts'
import { callJson } from './invoke.ts'

/** Maximum number of pages, whose size the provider determines. */
const maxPages = 20

/** The limit of the API. */
const maxResults = 1000

const unified = rerankDialect({ documentsAsText: true })

/** The endpoint, in the region of each call's settings. */
export function rerankEndpoint(regionOf: (settings: ProviderSettings) => string): ProcedureEndpoint {
  return {
    kind: 'procedure',
    async run(body, context): Promise<ProcedureAnswer> {
      const region = regionOf(context.settings)
      const url = `${serviceUrlFor('bedrock-agent-runtime', region, context)}/rerank`
      const request = rerankBody(unified.request(body, context), region)
      const results = await allResults(url, request, context)
      return { status: 200, headers: {}, body: unified.answer({ results }, context), stream: null }
    },
  }
}

function rerankBody(sent: JsonObject, region: string): JsonObject {
  const documents = Array.isArray(sent.documents) ? sent.documents : []
  const fields = modelFields(sent)
  return {
    queries: [{ type: 'TEXT', textQuery: { text: sent.query } }],
    sources: documents.map((text) => ({
      type: 'INLINE',
      inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
    })),
    rerankingConfiguration: {
      type: 'BEDROCK_RERANKING_MODEL',
      bedrockRerankingConfiguration: {
        numberOfResults: Math.min(
          typeof sent.top_n === 'number' ? sent.top_n : maxResults,
          documents.length,
          maxResults,
        ),
        modelConfiguration: {
          modelArn: modelArn(modelOf(sent), region),
          ...(fields === null ? {} : { additionalModelRequestFields: fields }),
        },
      },
    },
  }
}

/** Additional parameters of Cohere's rerankers; Amazon's reranker has none. */
function modelFields(sent: JsonObject): JsonObject | null {
  const length = sent.max_tokens_per_document
  return typeof length === 'number' && /cohere\./.test(modelOf(sent)) ? { max_tokens_per_doc: length } : null
}

/** The resource name of a model specified by its id. */
function modelArn(model: string, region: string): string {
  if (model.startsWith('arn:')) return model
  return `arn:${partitionOf(region)}:bedrock:${region}::foundation-model/${model}`
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

async function allResults(url: string, request: JsonObject, context: ProcedureContext): Promise<Json[]> {
  const results: Json[] = []
  let nextToken: Json | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const body = JSON.stringify({ ...request, nextToken })
    const answer = (await callJson({ method: 'POST', url, body }, context)).body
    const found = objectsOf(answer.results)
    results.push(...found.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })))
    nextToken = answer.nextToken ?? undefined
    if (typeof nextToken !== 'string' || found.length === 0) break
  }
  return results
}
