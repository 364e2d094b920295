/**
 * Stop reasons → finish reasons.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import type { CallContext, Json, JsonObject } from '@gateway/core/contract'
import { isLegacy } from './tools.ts'
import type { StopReason } from './types.ts'

/** A paused turn only happens with the vendor's own tools, which answer what they have; it reads as a stop. */
const reasons: Record<StopReason, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

export interface FinishReason extends JsonObject {
  finish_reason: string
  /** The vendor's own word; only without strict compliance. */
  provider_finish_reason?: string
}

/** Why the message ended, in our words and, without strict compliance, in the vendor's. */
export function finishReason(reason: Json | undefined, context: CallContext): FinishReason {
  const named = typeof reason === 'string' ? reason : 'end_turn'
  const mapped = isStopReason(named) ? reasons[named] : 'stop'
  const legacy = mapped === 'tool_calls' && isLegacy(context.request)
  return {
    finish_reason: legacy ? 'function_call' : mapped,
    ...(context.strict ? {} : { provider_finish_reason: named }),
  }
}

function isStopReason(reason: string): reason is StopReason {
  return Object.hasOwn(reasons, reason)
}
