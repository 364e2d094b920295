/**
 * Converts finish reasons. A blocked prompt becomes `content_filter` for any reason.
 * Reference: https://ai.google.dev/api/generate-content (FinishReason)
 */
import type { Json } from '@gateway/contract'
import type { Finish, FinishReason } from '../../chat/answer.ts'
import type { FinishReason as GivenReason } from './types.ts'

/** The SDK's list lacks three reasons in the reference. */
type KnownReason = GivenReason | 'MODEL_ARMOR' | 'MISSING_THOUGHT_SIGNATURE' | 'MALFORMED_RESPONSE'

const reasons: Record<KnownReason, FinishReason> = {
  FINISH_REASON_UNSPECIFIED: 'stop',
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  OTHER: 'stop',
  MALFORMED_FUNCTION_CALL: 'stop',
  MALFORMED_RESPONSE: 'stop',
  UNEXPECTED_TOOL_CALL: 'stop',
  TOO_MANY_TOOL_CALLS: 'stop',
  MISSING_THOUGHT_SIGNATURE: 'stop',
  NO_IMAGE: 'stop',
  IMAGE_OTHER: 'stop',
}

export interface Ending {
  /** The vendor's reason; absent when it gave none. */
  reason: Json | undefined
  /** Whether the candidate calls functions: the vendor ends such an answer with `STOP`. */
  hasCalls: boolean
  isBlocked?: boolean
}

/** The finish reason of an answer. */
export function finishOf({ reason, hasCalls, isBlocked }: Ending): Finish {
  const given = typeof reason === 'string' ? reason : 'STOP'
  const mapped = isBlocked === true ? 'content_filter' : isKnown(given) ? reasons[given] : 'stop'
  return { reason: mapped === 'stop' && hasCalls ? 'tool_calls' : mapped, given }
}

function isKnown(reason: string): reason is KnownReason {
  return Object.hasOwn(reasons, reason)
}
