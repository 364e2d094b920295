/** How large the hold-back window of a stream must be, so that no phrase is longer than what its windows share. */
import type { CompiledHook } from '../../flow/hook-result.ts'
import type { WindowSize } from '../../flow/settings.ts'

/** Who must see more at once, in UTF-16 units, sees the whole. */
const longestOverlap = 16_384

/**
 * Chooses the size for the hooks that may deny a stream: the one that was set, or a larger one where a check has to
 * see more at once. Null when a check needs the whole text.
 */
export function windowFor(hooks: readonly CompiledHook[], set: WindowSize): WindowSize | null {
  let longest = 0
  for (const { checks } of hooks) {
    for (const { windowed, longestMatch } of checks.map(({ prepared }) => prepared)) {
      // What is no number in an author's answer is no bound either.
      const isBounded = windowed === true && Number(longestMatch ?? Number.NaN) <= longestOverlap
      if (!isBounded) return null
      longest = Math.max(longest, longestMatch ?? 0)
    }
  }
  if (longest <= set.overlapChars) return set
  // Each piece of text is looked at about twice, however long the overlap.
  return { windowChars: Math.max(set.windowChars, longest), overlapChars: longest }
}
