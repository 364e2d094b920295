/** How long a match of a pattern can be. */
import { Op, type Program } from './program.ts'

/** A character of those beyond the first 65,536 is two. */
const unitsOfRune = 2

/**
 * Finds the most UTF-16 units that a match can have, counting two for each character. Null when there is no such
 * bound, and when a match depends on what stands around it.
 */
export function longestMatch(program: Program): number | null {
  const known = new Map<number, number>()
  const open = new Set<number>()
  const stack = [program.start]
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    if (program.op[at] === Op.assert) return null
    const after = waysOf(program, at)
    if (known.has(at)) {
      stack.pop()
      continue
    }
    if (open.has(at)) {
      const longest = after.reduce((most, way) => Math.max(most, known.get(way) ?? 0), 0)
      known.set(at, longest + (program.op[at] === Op.rune ? unitsOfRune : 0))
      open.delete(at)
      stack.pop()
      continue
    }
    open.add(at)
    for (const way of after) {
      // A way back to where this one came from: it can be gone any number of times.
      if (open.has(way)) return null
      if (!known.has(way)) stack.push(way)
    }
  }
  return known.get(program.start) ?? 0
}

/** Where an instruction goes on. */
function waysOf(program: Program, at: number): number[] {
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
