/** The message for an unknown name: the name, the nearest known one, and the known names. */
import { nearestName } from './nearest-name.ts'

interface UnknownName {
  /** The kind of name: `provider`, `config`, `check`. */
  what: string
  written: string
  /** Null when the caller may not list them. */
  known: Iterable<string> | null
}

/** The maximum number of names listed; a longer list would hide the message. */
const maxListed = 8
const maxNameChars = 100

/** `Unknown config "saef". Did you mean "safe"? Known: safe, fast.` */
export function unknownName({ what, written, known }: UnknownName): string {
  const shown = written.slice(0, maxNameChars)
  if (known === null) return `Unknown ${what} "${shown}".`
  const names = [...known]
  const nearest = nearestName(shown, names)
  const guess = nearest === null ? '' : ` Did you mean "${nearest}"?`
  return `Unknown ${what} "${shown}".${guess}${listOf(names, nearest !== null)}`
}

/** The message for a key that an object may not have: `has the unknown key "modle". Did you mean "model"?` */
export function unknownKey(written: string, known: Iterable<string>): string {
  const shown = written.slice(0, maxNameChars)
  return `has the unknown key "${shown}"${guessOf(shown, known)}`
}

/** The key that a message of {@link unknownKey} is about: its first characters. Null for other messages. */
export function keyInMessage(message: string): string | null {
  const [, key] =
    /has the unknown key "([\s\S]*?)"(?:\. Did you mean "[\s\S]*"\?)?(?: \(and \d+ more, see details\))?$/.exec(
      message,
    ) ?? []
  return key ?? null
}

/** The message for a value that is not in a list: `must be one of admin, member. Did you mean "member"?` */
export function mustBeOneOf(values: readonly unknown[], written: unknown): string {
  const names = values.map(String)
  return `must be one of ${names.join(', ')}${guessOf(written, names)}`
}

/** The end of a message about `written`; empty when no known name is near. */
export function guessOf(written: unknown, known: Iterable<string>): string {
  const nearest = typeof written === 'string' ? nearestName(written, known) : null
  return nearest === null ? '' : `. Did you mean "${nearest}"?`
}

function listOf(names: readonly string[], hasGuess: boolean): string {
  if (names.length === 0) return ' None exists.'
  if (names.length <= maxListed) return ` Known: ${names.join(', ')}.`
  if (hasGuess) return ''
  return ` Known: ${names.slice(0, maxListed).join(', ')} and ${names.length - maxListed} more.`
}
