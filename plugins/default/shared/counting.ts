/** Shared by the checks that count: bounds, and the texts that are counted together. */
import type { CheckInput, PreparedCheck } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import type { Scope } from './parameters.ts'
import { choiceTexts, spokenParts } from './parts.ts'

/** An optional bound. */
export const bound = (value: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: value, description }))

export interface CountOptions {
  /** The end of the parameters' names: `Words` in `minWords`. */
  unit: string
  min: number
  max: number
  not: boolean
  scope: Scope
  count(text: string): number
}

/**
 * Prepares a check that counts: a request as a whole, an answer choice by choice. An answer without choices counts as
 * one without text.
 * @throws Error if no count could be within the bounds
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
