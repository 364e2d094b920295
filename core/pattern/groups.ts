/** The groups of a match whose place is known: all ways of the program at once, in order of preference. */
import { conditionsBetween, Op, type Program } from './program.ts'
import { isPair, type Span, symbolBefore, symbolBehind } from './search.ts'
import type { Turn, Turns } from './turns.ts'

/** By group: start and end in UTF-16 units; -1 for a group that took no part. Group 0 is the match. */
export type Captures = readonly number[]

interface Way {
  at: number
  captures: Captures
}

const workOfWay = 20

/** Finds the groups of the match at `span`, which is the one that the search found. */
export function* findGroups(program: Program, text: string, span: Span, turn: Turn): Turns<Captures> {
  const none: Captures = Array.from({ length: 2 * (program.groups + 1) }, () => -1)
  let ways: Way[] = [{ at: program.start, captures: none }]
  for (let position = span.start; ; position += isPair(text, position) ? 2 : 1) {
    const { consuming, matched } = spread(program, text, position, ways)
    if (position >= span.end) return (matched ?? none).with(0, span.start).with(1, span.end)
    const symbol = symbolBehind(program, text, position)
    ways = consuming.flatMap(({ at, captures }) =>
      program.consumes(at, symbol) ? [{ at: program.out[at] ?? 0, captures }] : [],
    )
    turn.left -= workOfWay * (consuming.length + ways.length + 1)
    if (turn.left > 0) continue
    yield
    turn.renew()
  }
}

/** Follows the ways to where they consume a character; those behind one that matches are cut off. */
function spread(
  program: Program,
  text: string,
  position: number,
  ways: readonly Way[],
): { consuming: Way[]; matched: Captures | null } {
  const { op, out, arg } = program
  const conditions = conditionsBetween(
    program.kindOf(symbolBefore(program, text, position)),
    program.kindOf(symbolBehind(program, text, position)),
  )
  const visited = new Set([0])
  const consuming: Way[] = []
  const stack = ways.toReversed()
  for (let way = stack.pop(); way !== undefined; way = stack.pop()) {
    const { at, captures } = way
    if (visited.has(at)) continue
    visited.add(at)
    const go = (to: number | undefined, with_ = captures) => stack.push({ at: to ?? 0, captures: with_ })
    const code = op[at]
    const argument = arg[at] ?? 0
    if (code === Op.match) return { consuming, matched: captures }
    if (code === Op.rune) consuming.push(way)
    else if (code === Op.capture)
      go(out[at], argument < captures.length ? captures.with(argument, position) : captures)
    else if (code === Op.assert) {
      if ((argument & ~conditions) === 0) go(out[at])
    } else if (code !== Op.fail) {
      if (code === Op.alternate || code === Op.alternateMatch) go(argument)
      go(out[at])
    }
  }
  return { consuming, matched: null }
}
