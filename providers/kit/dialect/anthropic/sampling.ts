/**
 * Sampling parameters and thinking. `temperature` is brought to 0..1, the vendor's range; `top_p` and `top_k`
 * pass. A model that refuses them gets none. `thinking` passes unless compliance is strict; a budget becomes
 * adaptive thinking for a model that sets its own.
 * Reference: https://platform.claude.com/docs/en/api/messages, https://platform.claude.com/docs/en/build-with-claude/thinking
 */
import type { ThinkingConfigAdaptive, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages'
import { isObject, type JsonObject } from '@gateway/core/contract'
import { isSelfTuned, maxTokensOf } from './models.ts'
import type { MessagesRequest, Reader } from './types.ts'

type Sampling = Pick<MessagesRequest, 'temperature' | 'top_p' | 'top_k'>

/** The sampling parameters that the model takes; the default temperature is taken by all. */
export function readSampling(body: JsonObject, model: string): Sampling {
  const { top_p, top_k } = body
  const temperature = typeof body.temperature === 'number' ? Math.min(Math.max(body.temperature, 0), 1) : null
  const given = temperature === null ? {} : { temperature }
  if (isSelfTuned(model)) return temperature === 1 ? given : {}
  return {
    ...given,
    ...(typeof top_p === 'number' ? { top_p } : {}),
    ...(typeof top_k === 'number' ? { top_k } : {}),
  }
}

/** The thinking that the caller asked for; null without it, and under strict compliance. */
export function readThinking(body: JsonObject, model: string, reader: Reader): ThinkingConfigParam | null {
  const { thinking } = body
  if (reader.strict || !isObject(thinking)) return null
  if (thinking.type === 'disabled') return { type: 'disabled' }
  const budget = thinking.budget_tokens
  if (thinking.type === 'enabled' && typeof budget === 'number' && !isSelfTuned(model)) {
    return { type: 'enabled', budget_tokens: budget, ...displayOf(thinking) }
  }
  return { type: 'adaptive', ...displayOf(thinking) }
}

function displayOf({ display }: JsonObject): Pick<ThinkingConfigAdaptive, 'display'> {
  return display === 'summarized' || display === 'omitted' ? { display } : {}
}

/** The bound on generated tokens; without the caller's, the default stands beside the thinking budget. */
export function readMaxTokens(body: JsonObject, model: string, thinking: ThinkingConfigParam | null): number {
  const given = [body.max_completion_tokens, body.max_tokens].find((value) => typeof value === 'number')
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0
  return typeof given === 'number' ? given : maxTokensOf(model) + budget
}
