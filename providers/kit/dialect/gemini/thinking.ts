/**
 * Converts `reasoning_effort` and `thinking` to `thinkingConfig`, with the numbers of the vendor's own compatible
 * endpoint. `thinking` needs `strict_compat_compliance: false`, and overrides the effort; thoughts are requested only
 * then. Budgets are clamped to the model's range; a model with levels gets the level nearest to a budget.
 * Reference: https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { budgetRange, lowestLevel, thinkingKind } from './models.ts'
import type { Reader, ThinkingConfig, ThinkingLevel } from './types.ts'

/** The requested amount of thinking: a number of tokens, unlimited, little, or none. */
type Wish = number | 'dynamic' | 'minimal' | 'off'

const minimalBudget = 1024

const budgets: Readonly<Record<string, Wish>> = {
  none: 'off',
  minimal: 'minimal',
  low: minimalBudget,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 32_768,
}

/** The thinking of a request; null when it sets none or the model does not think. */
export function readThinking(body: JsonObject, reader: Reader): ThinkingConfig | null {
  const wish = wishOf(body, reader)
  const kind = thinkingKind(reader.model)
  if (wish === null || kind === 'none') return null
  const config = kind === 'level' ? levelConfig(wish, reader.model) : budgetConfig(wish, reader.model)
  return reader.strict || wish === 'off' ? config : { ...config, includeThoughts: true }
}

function wishOf(body: JsonObject, { strict }: Reader): Wish | null {
  const { thinking, reasoning_effort: effort } = body
  if (!strict && isObject(thinking)) {
    if (thinking.type === 'disabled') return 'off'
    return typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 'dynamic'
  }
  return typeof effort === 'string' && Object.hasOwn(budgets, effort) ? (budgets[effort] ?? null) : null
}

function levelConfig(wish: Wish, model: string): ThinkingConfig {
  if (wish === 'dynamic') return {}
  return { thinkingLevel: typeof wish === 'number' ? levelOf(wish) : lowestLevel(model) }
}

function levelOf(tokens: number): ThinkingLevel {
  if (tokens <= minimalBudget) return 'LOW'
  return tokens <= 8192 ? 'MEDIUM' : 'HIGH'
}

function budgetConfig(wish: Wish, model: string): ThinkingConfig {
  const { minimum, maximum, canBeOff } = budgetRange(model)
  if (wish === 'dynamic') return { thinkingBudget: -1 }
  if (wish === 'off') return { thinkingBudget: canBeOff ? 0 : minimum }
  const tokens = wish === 'minimal' ? minimalBudget : wish
  return { thinkingBudget: Math.min(Math.max(tokens, minimum), maximum) }
}
