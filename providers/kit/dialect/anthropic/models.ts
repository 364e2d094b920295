/**
 * Differences between the vendor's models, by name. An unknown name gets no special treatment. Reference:
 * https://platform.claude.com/docs/en/about-claude/models/migration-guide,
 * https://platform.claude.com/docs/en/build-with-claude/effort
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

/** Models without a number, or with the number behind `claude-`, as the first ones have it. */
const later = /claude-(?:fable|mythos)-/
const first = /claude-(?:2|3|instant)/

/** A version is one or two digits; what follows may be a date. */
const versioned = /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/

/** A model's version, as one number that grows with it; null for a name that tells none. */
function versionOf(model: string): number | null {
  if (later.test(model)) return Number.POSITIVE_INFINITY
  if (first.test(model)) return 0
  const match = versioned.exec(model)
  return match === null ? null : Number(match[1]) * 100 + Number(match[2] ?? 0)
}

/** Whether a model is of this version or a later one; a name that tells no version is not. */
export function isSince(model: string, major: number, minor: number): boolean {
  return (versionOf(model) ?? 0) >= major * 100 + minor
}

/** Whether a model is of an earlier version; a name that tells no version is not. */
export function isBefore(model: string, major: number, minor: number): boolean {
  return (versionOf(model) ?? Number.POSITIVE_INFINITY) < major * 100 + minor
}

/**
 * Whether a model takes no sampling parameters other than the defaults, and chooses its thinking budget itself: from
 * version 4.7 on. These also know the effort `xhigh`.
 */
export const isSelfTuned = (model: string): boolean => isSince(model, 4, 7)

/** Whether a model takes a temperature or a nucleus, but not both: from version 4.1 on. */
export const takesOneSampling = (model: string): boolean => isSince(model, 4, 1)

/** Whether thinking cannot be switched off for a model. */
export const alwaysThinks = (model: string): boolean =>
  later.test(model) || /claude-(?:opus|sonnet)-5-5/.test(model)

/** Whether a model takes an effort. */
export const takesEffort = (model: string): boolean => isSince(model, 4, 6) || /claude-opus-4-5/.test(model)
