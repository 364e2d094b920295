/**
 * Differences between the vendor's models, by name. A name without a version (a tuned model, an open one) gets no
 * special treatment; the aliases of the newest models count as the newest. Reference:
 * https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/thought-signatures,
 * https://ai.google.dev/gemini-api/docs/file-input-methods
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

/** From version 3 on a call in the conversation without its signature is 400, and results can hold media. */
export function isSigned(model: string): boolean {
  return isFrom(model, 3)
}

/** Whether the vendor fetches public https URLs itself; the models up to 2.0 take its own files only. */
export function fetchesUrls(model: string): boolean {
  return isFrom(model, 2, 5)
}

/** Penalties are 400 ("not enabled for this model") from version 2.5 on. */
export function takesPenalties(model: string): boolean {
  return versionOf(model) !== null && !isFrom(model, 2, 5)
}

/** Whether arguments can be held to the schema while the model may also answer in words (mode `VALIDATED`). */
export function validatesCalls(model: string): boolean {
  return isFrom(model, 2, 5)
}

/** How a model's thinking is bounded: by a number of tokens, by a level, or not at all. */
export function thinkingKind(model: string): 'budget' | 'level' | 'none' {
  if (!isFrom(model, 2, 5) || /-tts|-image|-live/.test(model)) return 'none'
  return isFrom(model, 3) ? 'level' : 'budget'
}

/** The least that a model with levels can think; the Flash models up to 3.7 know a level below `LOW`. */
export function lowestLevel(model: string): ThinkingLevel {
  return isFrom(model, 3, 8) || !model.includes('flash') ? 'LOW' : 'MINIMAL'
}

export interface BudgetRange {
  minimum: number
  maximum: number
  /** Whether 0 turns thinking off. */
  canBeOff: boolean
}

/** The thinking tokens that a model with budgets takes. */
export function budgetRange(model: string): BudgetRange {
  if (model.includes('flash-lite')) return { minimum: 512, maximum: 24_576, canBeOff: true }
  if (model.includes('flash')) return { minimum: 1, maximum: 24_576, canBeOff: true }
  return { minimum: 128, maximum: 32_768, canBeOff: false }
}
