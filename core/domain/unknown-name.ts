/** The message about a name that does not exist: what was written, the nearest name that exists, and what exists. */
import { nearestName } from './nearest-name.ts'

interface UnknownName {
  /** What the name was to be: `provider`, `config`, `check`. */
  what: string
  written: string
  known: Iterable<string>
}

/** A list of more names is shown up to here: the whole list would hide the rest of the message. */
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
