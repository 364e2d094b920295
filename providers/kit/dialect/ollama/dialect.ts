/**
 * The native Ollama formats: chat, streamed as one JSON object per line, and embeddings. Errors are `{error:
 * "text"}`.
 * Reference: https://docs.ollama.com/api/introduction
 */
import type { Dialect } from '@gateway/contract'
import { withCustomTools } from '../../chat/custom-tools.ts'
import { jsonLines } from '../../framing/json-lines.ts'
import { compatibleError } from '../compatible/errors.ts'
import { ollamaAnswer } from './answer.ts'
import { embedAnswer, embedRequest } from './embed.ts'
import { ollamaRequest } from './request.ts'
import { ollamaStream } from './stream.ts'

export const ollamaDialect: Dialect = withCustomTools({
  name: 'ollama-chat',
  parameters: ['top_k', 'thinking'],
  request: ollamaRequest,
  answer: ollamaAnswer,
  stream: ollamaStream,
  framing: jsonLines,
  error: compatibleError,
})

export const ollamaEmbedDialect: Dialect = {
  name: 'ollama-embed',
  request: embedRequest,
  answer: embedAnswer,
  error: compatibleError,
}
