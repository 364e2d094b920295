/**
 * What differs between the vendor's models, told by their names. An unknown name gets no special treatment.
 * From version 4.7 on (and the models without a version number) sampling parameters other than the defaults and
 * thinking budgets are 400.
 * Reference: https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */

interface Limit {
  models: RegExp
  maxTokens: number
}

/** The API requires `max_tokens`; without one these are sent. The old models cannot generate more. */
const defaults: readonly Limit[] = [
  { models: /claude-(?:2|instant|3-(?:opus|sonnet|haiku))/, maxTokens: 4096 },
  { models: /claude-3-5/, maxTokens: 8192 },
]

const defaultMaxTokens = 16_384

/** Tokens that an answer may have when the request sets no bound. */
export function maxTokensOf(model: string): number {
  return defaults.find((row) => row.models.test(model))?.maxTokens ?? defaultMaxTokens
}

/** A version is one or two digits; what follows may be a date. */
const versioned = /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/

/** Whether a model takes no sampling parameters and chooses its thinking budget itself. */
export function isSelfTuned(model: string): boolean {
  if (/claude-(?:fable|mythos)-/.test(model)) return true
  const match = versioned.exec(model)
  if (match === null) return false
  const [major, minor] = [Number(match[1]), Number(match[2] ?? 0)]
  return major > 4 || (major === 4 && minor >= 7)
}
