/**
 * The embedding format of Nomic Atlas: `{texts, model, task_type, …}` → `{embeddings, usage, model}`. It returns only
 * numbers; base64 is encoded here.
 * Reference: https://docs.nomic.ai/reference/api/embed-text-v-1-embedding-text-post
 * Errors: `invalid_body` for token input; `upstream_invalid_response` for an answer without embeddings.
 */
import { type Dialect, GatewayError } from '@gateway/contract'
import {
  compatibleError,
  countOf,
  embeddingList,
  embeddingTexts,
  objectOf,
  pick,
} from '@gateway/provider-kit'

const vendorFields = ['task_type', 'long_text_mode', 'max_tokens_per_text']

/** The dialect for text embeddings. */
export const nomicDialect: Dialect = {
  name: 'nomic-embedding',
  request(body, context) {
    return {
      model: body.model,
      texts: embeddingTexts(body, context.settings.provider),
      ...pick(body, vendorFields),
      ...(typeof body.dimensions === 'number' ? { dimensionality: body.dimensions } : {}),
    }
  },
  answer(body, { request }) {
    if (!Array.isArray(body.embeddings)) {
      throw new GatewayError('upstream_invalid_response', 'The provider returned no embeddings.')
    }
    const usage = objectOf(body.usage)
    const promptTokens = countOf(usage.prompt_tokens ?? usage.total_tokens)
    const totalTokens = countOf(usage.total_tokens ?? usage.prompt_tokens)
    const model = typeof body.model === 'string' ? body.model : request.model
    return embeddingList({ vectors: body.embeddings, request, model, promptTokens, totalTokens })
  },
  error: compatibleError,
}
