/**
 * Differences between the vendor's models, by name. A name without a version (a tuned or open model) gets no special
 * treatment; aliases such as `latest` count as the newest version.
 * Reference: https://ai.google.dev/gemini-api/docs/thinking,
 * https://ai.google.dev/gemini-api/docs/thought-signatures, https://ai.google.dev/gemini-api/docs/file-input-methods
 */
import type { ThinkingLevel } from './types.ts'

interface Version {
  major: number
  minor: number
}

const versioned = /gemini-(\d+)(?:\.(\d+))?(?![\d.])/
const newest: Version = { major: Number.POSITIVE_INFINITY, minor: 0 }

function versionOf(model: string): Version | null {
  const match = versioned.exec(model)
  if (match !== null) return { major: Number(match[1]), minor: Number(match[2] ?? 0) }
  return /gemini-(?:[a-z]+-)+latest/.test(model) ? newest : null
}

function isFrom(model: string, major: number, minor = 0): boolean {
  const version = versionOf(model)
  if (version === null) return false
  return version.major > major || (version.major === major && version.minor >= minor)
}

/**
 * From version 3 on, a call in the conversation without its signature is refused with 400, and results can contain
 * media.
 */
export function isSigned(model: string): boolean {
  return isFrom(model, 3)
}

/** Whether the vendor fetches public https URLs itself; models up to 2.0 accept only its own files. */
export function fetchesUrls(model: string): boolean {
  return isFrom(model, 2, 5)
}

/** From version 2.5 on, penalties are refused with 400 ("not enabled for this model"). */
export function takesPenalties(model: string): boolean {
  return versionOf(model) !== null && !isFrom(model, 2, 5)
}

/** Whether the schema of arguments can be enforced while the model may also answer with text (mode `VALIDATED`). */
export function validatesCalls(model: string): boolean {
  return isFrom(model, 2, 5)
}

/** Whether JSON output can be combined with tools; models before version 3 refuse it with 400. */
export function formatsBesideTools(model: string): boolean {
  return versionOf(model) === null || isFrom(model, 3)
}

/** The limit on a model's thinking: a number of tokens, a level, or none. */
export function thinkingKind(model: string): 'budget' | 'level' | 'none' {
  if (!isFrom(model, 2, 5) || /-tts|-image|-live/.test(model)) return 'none'
  return isFrom(model, 3) ? 'level' : 'budget'
}

/** The lowest thinking level of a model; Flash models up to 3.7 have one below `LOW`. */
export function lowestLevel(model: string): ThinkingLevel {
  return isFrom(model, 3, 8) || !model.includes('flash') ? 'LOW' : 'MINIMAL'
}

export interface BudgetRange {
  minimum: number
  maximum: number
  /** Whether 0 disables thinking. */
  canBeOff: boolean
}

/** The range of thinking tokens for a model with budgets. */
export function budgetRange(model: string): BudgetRange {
  if (model.includes('flash-lite')) return { minimum: 512, maximum: 24_576, canBeOff: true }
  if (model.includes('flash')) return { minimum: 1, maximum: 24_576, canBeOff: true }
  return { minimum: 128, maximum: 32_768, canBeOff: false }
}
