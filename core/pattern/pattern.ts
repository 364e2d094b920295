/** A compiled pattern. */
import type { Turns } from './turns.ts'

export interface Pattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean
  /** Replaces every match; `$1` and `$<name>` in the replacement refer to groups. */
  replace(text: string, replacement: string): string
  /** Start and end of the first `limit` matches, in UTF-16 units. */
  find(text: string, limit: number): { start: number; end: number }[]
  /**
   * An upper bound of a match's length in UTF-16 units; null for an unbounded match, and when a match depends on the
   * text around it.
   */
  longestMatch(): number | null
  /** The same in turns, for texts that can be long: see `runInTurns`. */
  inTurns: {
    test(text: string): Turns<boolean>
    replace(text: string, replacement: string): Turns<string>
    find(text: string, limit: number): Turns<{ start: number; end: number }[]>
  }
}
