/**
 * Finish reasons → stop reasons. The provider's original reason takes precedence if it is one of the format's.
 * Reference: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
import type { Json, JsonObject } from '@gateway/contract'

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
])

const words: readonly unknown[] = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]

export interface Stop extends JsonObject {
  stop_reason: string
  stop_sequence: string | null
  /** The details of a refusal. */
  stop_details: JsonObject | null
}

/** How a choice ended. */
export interface Ending {
  /** The choice, or the chunk's choice that ended it. */
  choice: JsonObject
  hasCalls: boolean
  /** The text of a refusal; empty without one. */
  refusal: string
  /** `stop_sequences` of the request. */
  sequences: Json | undefined
}

/** Why the message ended. */
export function readStop({ choice, hasCalls, refusal, sequences }: Ending): Stop {
  const { finish_reason: finish, provider_finish_reason: word, stop_reason: matched } = choice
  // Some providers return the sequence at which they stopped.
  if (typeof matched === 'string' && Array.isArray(sequences) && sequences.includes(matched))
    return { stop_reason: 'stop_sequence', stop_sequence: matched, stop_details: null }
  if (refusal !== '' || finish === 'content_filter') return refused(refusal)
  if (typeof word === 'string' && words.includes(word))
    return { stop_reason: word, stop_sequence: null, stop_details: null }
  const reason = reasons.get(finish) ?? 'end_turn'
  const stop_reason = hasCalls && reason === 'end_turn' ? 'tool_use' : reason
  return { stop_reason, stop_sequence: null, stop_details: null }
}

function refused(explanation: string): Stop {
  const stop_details = explanation === '' ? null : { type: 'refusal', category: null, explanation }
  return { stop_reason: 'refusal', stop_sequence: null, stop_details }
}
