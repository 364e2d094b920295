/** The stored features of a question, for the comparison with another question. */
import { isObject } from '@gateway/contract'

/** The version of these rules; cache entries of other versions are not found. */
export const questionVersion = 1

export interface Question {
  version: typeof questionVersion
  numbers: readonly string[]
  units: readonly string[]
  literals: readonly string[]
  negations: number
  /** Axes of opposites, with the poles that the text names. */
  poles: readonly string[]
  /** Words that are spelled like names. */
  names: readonly string[]
  /** All words, in lower case and in the singular, with `#` before quantities; `.` separates sentences. */
  words: readonly string[]
}

/** Whether a stored value was written by these rules. */
export const isQuestion = (value: unknown): value is Question =>
  isObject(value) && value.version === questionVersion
