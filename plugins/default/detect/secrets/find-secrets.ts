/**
 * Finds secrets of chosen categories. Every key contains a long word, and ordinary text has few, so long words and
 * their surroundings are examined. Private keys, URLs and listed passwords are found by their own anchors.
 */
import { addFree, createCover, type Detect, type Finding } from '../finding.ts'
import { matchAssignment } from './assignments.ts'
import type { SecretCategory } from './categories.ts'
import { matchDotted } from './dotted.ts'
import { matchPrefix } from './prefixes.ts'
import { findListedPasswords, findPrivateKeys, findSecretUrls, jwtEnd } from './structured.ts'
import { visitLongTokens } from './tokens.ts'

/** @param wanted ids of categories */
export function createSecretDetector(wanted: ReadonlySet<string>): Detect {
  return (text) => {
    // All kinds are found even if not wanted: otherwise a part of one could be reported as another kind.
    const anchored = addFree(addFree(findPrivateKeys(text), findSecretUrls(text)), findListedPasswords(text))
    const all = addFree(anchored, findTokens(text, anchored))
    return all.filter(({ category }) => wanted.has(category))
  }
}

function findTokens(text: string, taken: readonly Finding[]): Finding[] {
  const found: Finding[] = []
  const isTaken = createCover(taken)
  visitLongTokens(text, (start, end) => {
    if (isTaken(start)) return end
    const secret = matchToken(text, start, end)
    if (secret === null) return end
    const last = found.at(-1)
    if (last === undefined || last.end <= secret.start) found.push(secret)
    return secret.end
  })
  return found
}

/** The most distinctive kinds come first. */
function matchToken(
  text: string,
  start: number,
  end: number,
): (Finding & { category: SecretCategory }) | null {
  const jwt = jwtEnd(text, start, end)
  if (jwt >= 0) return { category: 'jwt', start, end: jwt }
  const key = matchPrefix(text, start, end)
  if (key !== null) return { category: key.category, start, end: key.end }
  return matchDotted(text, start, end) ?? matchAssignment(text, start, end)
}
