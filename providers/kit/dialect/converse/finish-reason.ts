/**
 * Converts stop reasons to finish reasons.
 * Reference:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#bedrock-runtime_Converse-response-stopReason
 */
import type { StopReason } from '@aws-sdk/client-bedrock-runtime'
import type { CallContext, Json } from '@gateway/contract'
import type { Finish, FinishReason } from '../../chat/answer.ts'
import { isOutputTool } from './output.ts'

/** For unreadable model output the reason is unknown; the vendor's own reason is included. */
const reasons: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  malformed_model_output: 'stop',
  malformed_tool_use: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
}

/** The finish reason of a message. A call of the schema tool is not a call for the caller. */
export function finishOf(given: Json | undefined, context: CallContext): Finish {
  const mapped = isStopReason(given) ? reasons[given] : 'stop'
  const reason = mapped === 'tool_calls' && isOutputTool(context) ? 'stop' : mapped
  return { reason, given: given ?? 'end_turn' }
}

function isStopReason(reason: unknown): reason is StopReason {
  return typeof reason === 'string' && Object.hasOwn(reasons, reason)
}
