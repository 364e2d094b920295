/**
 * Embeddings with InvokeModel: Titan and Nova accept one text per call, Cohere up to 96.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html; embed-families.ts
 * Errors: `unsupported_endpoint` for other models; `invalid_body` for input that is not text, and for dimensions of a
 * model with a fixed length; those of invoke.ts.
 */
import {
  type ChoiceEndpoint,
  GatewayError,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
} from '@gateway/contract'
import { embeddingList, embeddingTexts, refusal } from '@gateway/provider-kit'
import { modelOf } from './address.ts'
import { type EmbeddingFamily, embeddingFamilies } from './embed-families.ts'
import { type InvokeAnswer, invokeEach } from './invoke.ts'

/** Embeddings, by the model's family. */
export const embed: ChoiceEndpoint = {
  kind: 'choice',
  choose(body, _settings, baseModel) {
    const model = baseModel ?? modelOf(body)
    const family = embeddingFamilies.find((row) => row.models.test(model))
    if (family === undefined) {
      const message = `bedrock: the model ${model.slice(0, 100)} does not support embeddings, or is unknown.`
      throw new GatewayError('unsupported_endpoint', message, { param: '/model' })
    }
    return { kind: 'procedure', run: (request, context) => run(family, request, context) }
  },
}

async function run(
  family: EmbeddingFamily,
  request: JsonObject,
  context: ProcedureContext,
): Promise<ProcedureAnswer> {
  if (!family.hasDimensions && typeof request.dimensions === 'number') {
    throw refusal(context.settings.provider, '/dimensions', 'this model has a fixed number of dimensions')
  }
  const texts = embeddingTexts(request, context.settings.provider)
  const batches = batchesOf(texts, family.batchSize)
  const bodies = batches.map((batch) => family.body(batch, request))
  const answers = await invokeEach(modelOf(request), bodies, context)
  const vectors = answers.flatMap(({ body }, index) => {
    const found = family.vectors(body)
    if (Array.isArray(found) && found.length === batches[index]?.length) return found
    throw new GatewayError('upstream_invalid_response', 'The provider returned a wrong number of embeddings.')
  })
  const promptTokens = answers.reduce((sum, answer) => sum + tokensOf(answer), 0)
  const body = embeddingList({ vectors, request, model: request.model, promptTokens })
  return { status: 200, headers: {}, body, stream: null }
}

/** Titan repeats the count in the body. */
function tokensOf({ body, inputTokens }: InvokeAnswer): number {
  return typeof body.inputTextTokenCount === 'number' ? body.inputTextTokenCount : inputTokens
}

function batchesOf(texts: readonly string[], size: number): string[][] {
  const count = Math.ceil(texts.length / size)
  return Array.from({ length: count }, (_, index) => texts.slice(index * size, (index + 1) * size))
}
