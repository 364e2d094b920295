/** The message for an unknown name: the name, the nearest known one, and the known names. */
import { nearestName } from './nearest-name.ts'

interface UnknownName {
  /** The kind of name: `provider`, `config`, `check`. */
  what: string
  written: string
  known: Iterable<string>
}

/** The maximum number of names listed; more would bury the message. */
const maxListed = 8
const maxNameChars = 100

/** `Unknown config "saef". Did you mean "safe"? Known: safe, fast.` */
export function unknownName({ what, written, known }: UnknownName): string {
  const names = [...known]
  const shown = written.slice(0, maxNameChars)
  const nearest = nearestName(shown, names)
  const guess = nearest === null ? '' : ` Did you mean "${nearest}"?`
  return `Unknown ${what} "${shown}".${guess}${listOf(names, nearest !== null)}`
}

function listOf(names: readonly string[], hasGuess: boolean): string {
  if (names.length === 0) return ' None exists.'
  if (names.length <= maxListed) return ` Known: ${names.join(', ')}.`
  if (hasGuess) return ''
  return ` Known: ${names.slice(0, maxListed).join(', ')} and ${names.length - maxListed} more.`
}
