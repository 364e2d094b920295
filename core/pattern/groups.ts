/** Finds the capture groups of a match whose span is known, by simulating the NFA with threads in order of priority. */
import { conditionsBetween, Op, type Program } from './program.ts'
import { isPair, type Span, symbolBefore, symbolBehind } from './search.ts'
import type { Turn, Turns } from './turns.ts'

/** Start and end of each group in UTF-16 units; -1 for a group that did not take part. Group 0 is the match. */
export type Captures = readonly number[]

interface Thread {
  at: number
  captures: Captures
}

const workOfThread = 20

/** Finds the groups of the match at `span`, as returned by the search. */
export function* findGroups(program: Program, text: string, span: Span, turn: Turn): Turns<Captures> {
  const none: Captures = Array.from({ length: 2 * (program.groups + 1) }, () => -1)
  let threads: Thread[] = [{ at: program.start, captures: none }]
  for (let position = span.start; ; position += isPair(text, position) ? 2 : 1) {
    const { consuming, matched } = spread(program, text, position, threads)
    if (position >= span.end) return (matched ?? none).with(0, span.start).with(1, span.end)
    const symbol = symbolBehind(program, text, position)
    threads = consuming.flatMap(({ at, captures }) =>
      program.consumes(at, symbol) ? [{ at: program.out[at] ?? 0, captures }] : [],
    )
    turn.left -= workOfThread * (consuming.length + threads.length + 1)
    if (turn.left > 0) continue
    yield
    turn.renew()
  }
}

/** Follows threads up to the next consuming instruction; a match cuts off threads of lower priority. */
function spread(
  program: Program,
  text: string,
  position: number,
  threads: readonly Thread[],
): { consuming: Thread[]; matched: Captures | null } {
  const { op, out, arg } = program
  const conditions = conditionsBetween(
    program.kindOf(symbolBefore(program, text, position)),
    program.kindOf(symbolBehind(program, text, position)),
  )
  const visited = new Set([0])
  const consuming: Thread[] = []
  const stack = threads.toReversed()
  for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
    const { at, captures } = thread
    if (visited.has(at)) continue
    visited.add(at)
    const go = (to: number | undefined, with_ = captures) => stack.push({ at: to ?? 0, captures: with_ })
    const code = op[at]
    const argument = arg[at] ?? 0
    if (code === Op.match) return { consuming, matched: captures }
    if (code === Op.rune) consuming.push(thread)
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
