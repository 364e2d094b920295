/** What the checks that count have in common: bounds, and what is counted as a whole. */
import type { CheckInput, PreparedCheck } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import type { Scope } from './parameters.ts'
import { choiceTexts, spokenParts } from './parts.ts'

/** A bound that the parameters may leave out. */
export const bound = (value: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: value, description }))

export interface CountOptions {
  /** As it ends the parameters' names: `Words` of `minWords`. */
  unit: string
  min: number
  max: number
  not: boolean
  scope: Scope
  count(text: string): number
}

/**
 * Prepares a check that counts: a request as a whole, an answer choice by choice. An answer without choices counts as
 * one that says nothing.
 * @throws Error when no count could be within the bounds
 */
export function prepareCount({ unit, min, max, not, scope, count }: CountOptions): PreparedCheck {
  if (min > max) throw new Error(`min${unit} (${min}) is more than max${unit} (${max})`)
  const countAll = (input: CheckInput): number[] => {
    if (input.phase === 'before')
      return [spokenParts(input, scope).reduce((sum, part) => sum + count(part.text), 0)]
    const counts = choiceTexts(input).map(count)
    return counts.length === 0 ? [0] : counts
  }
  return {
    run(input) {
      const counts = countAll(input)
      const within = counts.every((found) => found >= min && found <= max)
      const data = { [unit.toLowerCase()]: counts, [`min${unit}`]: min, [`max${unit}`]: max }
      return { verdict: within !== not, data }
    },
  }
}
