/** The longest match that a pattern can have. */
import { Op, type Program } from './program.ts'

/** Code points above U+FFFF take two UTF-16 units. */
const unitsOfRune = 2

/**
 * Returns the most UTF-16 units that a match can have, counting two for each character. Null when there is no bound,
 * and when a match depends on the text around it (assertions).
 */
export function longestMatch(program: Program): number | null {
  const known = new Map<number, number>()
  const open = new Set<number>()
  const stack = [program.start]
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    if (program.op[at] === Op.assert) return null
    const after = successorsOf(program, at)
    if (known.has(at)) {
      stack.pop()
      continue
    }
    if (open.has(at)) {
      const longest = after.reduce((most, next) => Math.max(most, known.get(next) ?? 0), 0)
      known.set(at, longest + (program.op[at] === Op.rune ? unitsOfRune : 0))
      open.delete(at)
      stack.pop()
      continue
    }
    open.add(at)
    for (const next of after) {
      // A loop: it can repeat any number of times.
      if (open.has(next)) return null
      if (!known.has(next)) stack.push(next)
    }
  }
  return known.get(program.start) ?? 0
}

/** The instructions that can follow one. */
function successorsOf(program: Program, at: number): number[] {
  const out = program.out[at] ?? 0
  switch (program.op[at]) {
    case Op.match:
    case Op.fail:
      return []
    case Op.alternate:
    case Op.alternateMatch:
      return [out, program.arg[at] ?? 0]
    default:
      return [out]
  }
}
