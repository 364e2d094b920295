/**
 * Converts stop reasons to finish reasons.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { Finish, FinishReason } from '../../chat/answer.ts'
import { textOf } from '../../chat/values.ts'
import type { StopReason } from './types.ts'

/** A paused turn only occurs with the vendor's own tools, and its answer is usable, so it becomes `stop`. */
const reasons: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** The finish reason of a message. */
export function finishOf(given: Json | undefined): Finish {
  if (typeof given !== 'string') return { reason: 'stop', given: undefined }
  return { reason: isStopReason(given) ? reasons[given] : 'stop', given }
}

/** The vendor's explanation of a refusal, if there is one, as the `refusal` of a message. */
export function refusalOf({ stop_details: details }: JsonObject): { refusal?: string } {
  const explanation = isObject(details) && details.type === 'refusal' ? textOf(details.explanation) : ''
  return explanation === '' ? {} : { refusal: explanation }
}

function isStopReason(reason: string): reason is StopReason {
  return Object.hasOwn(reasons, reason)
}
