/**
 * Differences between the vendor's models, by name. An unknown name gets no special treatment. Reference:
 * https://platform.claude.com/docs/en/about-claude/models/migration-guide,
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */

interface Limit {
  models: RegExp
  maxTokens: number
}

/** The API requires `max_tokens`; these are the defaults. Old models cannot generate more. */
const defaults: readonly Limit[] = [
  { models: /claude-(?:2|instant|3-(?:opus|sonnet|haiku))/, maxTokens: 4096 },
  { models: /claude-3-5/, maxTokens: 8192 },
]

const defaultMaxTokens = 16_384

/** The default limit on the tokens of an answer. */
export function maxTokensOf(model: string): number {
  return defaults.find((row) => row.models.test(model))?.maxTokens ?? defaultMaxTokens
}

/** Model names without a version, or with the version after `claude-`, as in the first models. */
const later = /claude-(?:fable|mythos)-/
const first = /claude-(?:2|3|instant)/

/** A version is one or two digits, possibly followed by a date. */
const versioned = /claude-[a-z]+-(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/

/** A model's version, as one increasing number; null for a name without a version. */
function versionOf(model: string): number | null {
  if (later.test(model)) return Number.POSITIVE_INFINITY
  if (first.test(model)) return 0
  const match = versioned.exec(model)
  return match === null ? null : Number(match[1]) * 100 + Number(match[2] ?? 0)
}

/** Whether a model has this version or a later one; false for a name without a version. */
export function isSince(model: string, major: number, minor: number): boolean {
  return (versionOf(model) ?? 0) >= major * 100 + minor
}

/** Whether a model has an earlier version; false for a name without a version. */
export function isBefore(model: string, major: number, minor: number): boolean {
  return (versionOf(model) ?? Number.POSITIVE_INFINITY) < major * 100 + minor
}

/**
 * Whether a model accepts only default sampling parameters, and sets its own thinking budget: from version 4.7 on.
 * These models also support the effort `xhigh`.
 */
export const isSelfTuned = (model: string): boolean => isSince(model, 4, 7)

/** Whether a model accepts `temperature` or `top_p`, but not both: from version 4.1 on. */
export const takesOneSampling = (model: string): boolean => isSince(model, 4, 1)

/** Whether a model cannot disable thinking. */
export const alwaysThinks = (model: string): boolean =>
  later.test(model) || /claude-(?:opus|sonnet)-5-5/.test(model)

/** Whether a model supports an effort. */
export const takesEffort = (model: string): boolean => isSince(model, 4, 6) || /claude-opus-4-5/.test(model)
