/** Finds the closest known name, for "Did you mean …?" in error messages. */
import { distance } from 'fastest-levenshtein'

/** Longer input is unlikely to be a typo and would cost time. */
const maxChars = 64

/**
 * Returns the known name that is closest to `written`; null when none is close. Case is ignored. One edit is accepted
 * in a name of up to three characters, two in longer ones, and a third of the characters in long ones.
 */
export function nearestName(written: string, known: Iterable<string>): string | null {
  if (written.length > maxChars) return null
  const wanted = written.toLowerCase()
  let nearest: string | null = null
  const mostEdits = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  let least = mostEdits + 1
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) >= least) continue
    const edits = distance(wanted, name.toLowerCase())
    if (edits < least) {
      nearest = name
      least = edits
    }
  }
  return nearest
}
