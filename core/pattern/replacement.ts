/** Expands a replacement: `$1`, `$<name>`, `$&`, `` $` ``, `$'` and `$$` mean what they do in `String.prototype.replace`. */
import type { Captures } from './groups.ts'
import type { Program } from './program.ts'

/** Whether a replacement can contain references. */
export const refers = (replacement: string): boolean => replacement.includes('$')

/** Expands the references of a replacement for one match. */
export function fillIn(
  program: Program,
  replacement: string,
  { text, captures }: { text: string; captures: Captures },
): string {
  const group = (number: number) => {
    const start = captures[2 * number] ?? -1
    const end = captures[2 * number + 1] ?? -1
    return start < 0 ? '' : text.slice(start, end)
  }
  let filled = ''
  let at = 0
  for (let dollar = replacement.indexOf('$'); dollar >= 0; dollar = replacement.indexOf('$', at)) {
    filled += replacement.slice(at, dollar)
    const reference = readReference(program, replacement, dollar)
    at = dollar + reference.length
    if ('text' in reference) filled += reference.text
    else if (reference.part === 'before') filled += text.slice(0, captures[0])
    else if (reference.part === 'behind') filled += text.slice(captures[1])
    else filled += group(reference.part)
  }
  return filled + replacement.slice(at)
}

/**
 * Length of a reference in the replacement, and the text it inserts: a group, the text around the match, or literal
 * text.
 */
type Reference = { length: number } & ({ text: string } | { part: number | 'before' | 'behind' })

function readReference(program: Program, replacement: string, dollar: number): Reference {
  const next = replacement[dollar + 1]
  if (next === '$') return { length: 2, text: '$' }
  if (next === '&') return { length: 2, part: 0 }
  if (next === '`') return { length: 2, part: 'before' }
  if (next === "'") return { length: 2, part: 'behind' }
  if (isDigit(next)) return readNumber(program, replacement, dollar)
  if (next === '<' && Object.keys(program.groupNames).length > 0) {
    const close = replacement.indexOf('>', dollar + 2)
    if (close < 0) return { length: 2, text: '$<' }
    const name = replacement.slice(dollar + 2, close)
    const number = Object.hasOwn(program.groupNames, name) ? program.groupNames[name] : undefined
    const length = close + 1 - dollar
    return number === undefined ? { length, text: '' } : { length, part: number }
  }
  return { length: 1, text: '$' }
}

/** Reads two digits only when they are the number of a group. */
function readNumber({ groups }: Program, replacement: string, dollar: number): Reference {
  const two = replacement.slice(dollar + 1, dollar + 3)
  const digits = two.length === 2 && isDigit(two[1]) && Number(two) <= groups ? two : two.slice(0, 1)
  const number = Number(digits)
  const length = 1 + digits.length
  if (number >= 1 && number <= groups) return { length, part: number }
  return { length, text: replacement.slice(dollar, dollar + length) }
}

const isDigit = (letter: string | undefined) => letter !== undefined && letter >= '0' && letter <= '9'
