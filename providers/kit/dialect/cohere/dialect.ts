/**
 * The Cohere formats of API v2: chat and embeddings. Reranking uses `compatible/rerank.ts` with the vendor's rules.
 * Reference: https://docs.cohere.com/reference/about
 */
import type { Dialect } from '@gateway/contract'
import { withCustomTools } from '../../chat/custom-tools.ts'
import { compatibleError } from '../compatible/errors.ts'
import { cohereAnswer } from './answer.ts'
import { embedAnswer, embedRequest } from './embed.ts'
import { cohereRequest } from './request.ts'
import { cohereStream } from './stream.ts'

/** Errors are `{id, message}`; older ones `{data}` or `{message}`. */
export const cohereDialect: Dialect = withCustomTools({
  name: 'cohere-chat',
  parameters: ['top_k', 'thinking'],
  request: cohereRequest,
  answer: cohereAnswer,
  stream: cohereStream,
  error: compatibleError,
})

export const cohereEmbedDialect: Dialect = {
  name: 'cohere-embed',
  request: embedRequest,
  answer: embedAnswer,
  error: compatibleError,
}
