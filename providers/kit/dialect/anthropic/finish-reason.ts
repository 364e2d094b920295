/**
 * Stop reasons → finish reasons.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import type { Json } from '@gateway/core/contract'
import type { Finish, FinishReason } from '../../chat/answer.ts'
import type { StopReason } from './types.ts'

/** A paused turn only happens with the vendor's own tools, which answer what they have; it reads as a stop. */
const reasons: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Why the message ended. */
export function finishOf(given: Json | undefined): Finish {
  const named = typeof given === 'string' ? given : 'end_turn'
  return { reason: isStopReason(named) ? reasons[named] : 'stop', given: named }
}

function isStopReason(reason: string): reason is StopReason {
  return Object.hasOwn(reasons, reason)
}
