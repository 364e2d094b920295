/**
 * The Anthropic Messages format, for the vendor itself and for clouds that serve its models in the same format.
 * Reference: https://platform.claude.com/docs/en/api/messages
 */
import type { Dialect } from '@gateway/contract'
import { withCustomTools } from '../../chat/custom-tools.ts'
import { anthropicAnswer } from './answer.ts'
import { anthropicError } from './errors.ts'
import { anthropicRequest } from './request.ts'
import { anthropicStream } from './stream.ts'

export const anthropicDialect: Dialect = withCustomTools({
  name: 'anthropic-messages',
  parameters: ['top_k', 'thinking', 'cache_control', 'service_tier'],
  request: anthropicRequest,
  answer: anthropicAnswer,
  stream: anthropicStream,
  error: anthropicError,
})
