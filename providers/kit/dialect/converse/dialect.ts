/**
 * The Converse format, one for all chat models of Amazon Bedrock.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { Dialect } from '@gateway/contract'
import { awsError } from '../../auth/aws-error.ts'
import { withCustomTools } from '../../chat/custom-tools.ts'
import { awsEventStream } from '../../framing/aws-event-stream.ts'
import { converseAnswer } from './answer.ts'
import { converseRequest } from './request.ts'
import { converseStream } from './stream.ts'

export const converseDialect: Dialect = withCustomTools({
  name: 'bedrock-converse',
  parameters: ['top_k', 'thinking', 'cache_control', 'service_tier'],
  request: converseRequest,
  answer: converseAnswer,
  stream: converseStream,
  framing: awsEventStream,
  error: awsError,
})
