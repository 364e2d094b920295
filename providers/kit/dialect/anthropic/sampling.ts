/**
 * Sampling parameters, thinking and effort. `temperature` is clamped to the vendor's range 0..1; `top_p` and `top_k`
 * are forwarded. A model that refuses sampling parameters gets none; a model that accepts only one of temperature and
 * `top_p` gets the one that differs from the default; with thinking neither is sent. `thinking` is sent unless
 * compliance is strict; a budget becomes adaptive thinking for a model that sets its own.
 * Reference: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/build-with-claude/thinking
 */
import type {
  OutputConfig,
  ThinkingConfigAdaptive,
  ThinkingConfigParam,
} from '@anthropic-ai/sdk/resources/messages'
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { maxTokens } from '../../chat/content.ts'
import { clamped, defined } from '../../chat/values.ts'
import { alwaysThinks, isSelfTuned, maxTokensOf, takesEffort, takesOneSampling } from './models.ts'
import type { MessagesRequest, Reader } from './types.ts'

type Sampling = Pick<MessagesRequest, 'temperature' | 'top_p' | 'top_k'>

/** The default of `temperature` and `top_p`. */
const usual = 1

/** The sampling parameters that the model accepts; every model accepts the default temperature. */
export function readSampling(body: JsonObject, model: string): Sampling {
  const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
  const given: Sampling = defined({
    temperature: clamped(body.temperature, 0, usual),
    top_p: number(body.top_p),
    top_k: number(body.top_k),
  })
  const { temperature, top_p: _, ...rest } = given
  if (isSelfTuned(model)) return temperature === usual ? { temperature } : {}
  if (!takesOneSampling(model) || temperature === undefined || given.top_p === undefined) return given
  return temperature === usual ? { ...rest, top_p: given.top_p } : { ...rest, temperature }
}

/** Whether the model thinks before it answers; then it accepts no sampling parameters. */
export const thinks = (thinking: ThinkingConfigParam | null): boolean =>
  thinking !== null && thinking.type !== 'disabled'

/** The thinking that the caller requested; null without it, and under strict compliance. */
export function readThinking(body: JsonObject, model: string, reader: Reader): ThinkingConfigParam | null {
  const { thinking } = body
  if (reader.strict || !isObject(thinking)) return null
  if (thinking.type === 'disabled') return alwaysThinks(model) ? null : { type: 'disabled' }
  const budget = thinking.budget_tokens
  if (thinking.type === 'enabled' && typeof budget === 'number' && !isSelfTuned(model)) {
    return { type: 'enabled', budget_tokens: budget, ...displayOf(thinking) }
  }
  return { type: 'adaptive', ...displayOf(thinking) }
}

function displayOf({ display }: JsonObject): Pick<ThinkingConfigAdaptive, 'display'> {
  return display === 'summarized' || display === 'omitted' ? { display } : {}
}

/** The limit on generated tokens; the default is added to the thinking budget. */
export function readMaxTokens(body: JsonObject, model: string, thinking: ThinkingConfigParam | null): number {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0
  return maxTokens(body) ?? maxTokensOf(model) + budget
}

export type Effort = NonNullable<OutputConfig['effort']>

const efforts: Readonly<Record<string, Effort>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

/** The requested effort; `none` and unknown values mean no effort. */
export function effortOf({ reasoning_effort: effort }: JsonObject): Effort | null {
  return typeof effort === 'string' && Object.hasOwn(efforts, effort) ? (efforts[effort] ?? null) : null
}

/** The effort for a model that supports none above high. */
export const upToHigh = (effort: Effort): Effort => (effort === 'xhigh' || effort === 'max' ? 'high' : effort)

/** The effort that the model accepts; older models, and answers without thinking, support at most high. */
export function readEffort(
  body: JsonObject,
  model: string,
  thinking: ThinkingConfigParam | null,
): { effort?: Effort } {
  const effort = effortOf(body)
  if (effort === null || !takesEffort(model)) return {}
  const isBounded = !isSelfTuned(model) || thinking?.type === 'disabled'
  return { effort: isBounded ? upToHigh(effort) : effort }
}
