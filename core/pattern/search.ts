/** Finds where a pattern matches: forwards to the match's end, backwards to its start, in turns of bounded work. */
import { Automaton, dead, firstOther, markedEnd, offsetOfEdge, type State, unknown } from './automaton.ts'
import { type CharacterClass, mayMatch, Op, type Program } from './program.ts'
import { backwardSteps, forwardSteps, searchOn } from './steps.ts'
import type { Turn, Turns } from './turns.ts'

/** Offsets in a text, in UTF-16 units. */
export interface Span {
  start: number
  end: number
}

export interface Search {
  test(text: string, turn: Turn): Turns<boolean>
  /** The leftmost match that starts at `from` or later. */
  next(text: string, from: number, turn: Turn): Turns<Span | null>
}

/** Progress of a scan. */
interface Scan {
  position: number
  /** Not its offset: between two turns, another search can make the automaton drop its states. */
  state: State
  /** The last position with a marked transition; -1 when there was none. */
  marked: number
  isOver: boolean
}

export function createSearch(program: Program): Search {
  const { start, op, prefix, isAnchored, isLiteral, required } = program
  const home = isAnchored ? [start] : [start, searchOn]
  const last = [...op.keys()].filter((at) => op[at] === Op.match)
  let ahead: Automaton | null = null
  let back: Automaton | null = null

  function* findEnd(text: string, from: number, isFirstEnough: boolean, turn: Turn): Turns<number> {
    ahead ??= new Automaton(program, home, forwardSteps(program))
    const state = { items: home, kind: program.kindOf(symbolBefore(program, text, from)) }
    const scan: Scan = { position: from, state, marked: -1, isOver: false }
    for (;;) {
      scanAhead(program, ahead, text, scan, isFirstEnough, turn)
      if (scan.isOver) return scan.marked
      yield
      turn.renew()
    }
  }

  function* findStart(text: string, from: number, end: number, turn: Turn): Turns<number> {
    back ??= new Automaton(program, last, backwardSteps(program))
    const state = { items: last, kind: program.kindOf(symbolBehind(program, text, end)) }
    const scan: Scan = { position: end, state, marked: -1, isOver: false }
    for (;;) {
      scanBack(program, back, text, from, scan, turn)
      if (scan.isOver) return scan.marked
      yield
      turn.renew()
    }
  }

  return {
    *test(text, turn) {
      if (isLiteral) return text.includes(prefix)
      return mayMatch(required, text) && (yield* findEnd(text, 0, true, turn)) >= 0
    },
    *next(text, from, turn) {
      if (from > text.length || (isAnchored && from > 0)) return null
      if (from === 0 && !mayMatch(required, text)) return null
      const end = yield* findEnd(text, from, false, turn)
      return end < 0 ? null : { start: yield* findStart(text, from, end, turn), end }
    },
  }
}

/** Scans forwards until the search is decided or the turn's work is used up. */
function scanAhead(
  program: Program,
  automaton: Automaton,
  text: string,
  scan: Scan,
  isFirstEnough: boolean,
  turn: Turn,
): void {
  const { latin, border, prefix, isAnchored } = program
  const begun = scan.position
  const builtBefore = automaton.work
  // In a start state, text that cannot start a match is skipped.
  const homes = prefix === '' || isAnchored ? 0 : firstOther * automaton.stride
  let limit = Math.min(text.length, begun + turn.left)
  let { position } = scan
  let offset = automaton.offsetOf(scan.state)
  let { table } = automaton
  scanning: while (position < limit || (position === text.length && turn.left > 0)) {
    if (offset < homes) {
      position = text.indexOf(prefix, position)
      if (position < 0) break
    }
    // The fast loop: known transitions to live states over code points below 256.
    while (position < limit) {
      const unit = text.charCodeAt(position)
      if (unit > 255) break
      const edge = table[offset + (latin[unit] ?? 0)] ?? unknown
      if ((edge & 1) !== 0) {
        if (edge <= markedEnd || isFirstEnough) break
        scan.marked = position
      }
      offset = edge >> 1
      position += 1
      if (offset < homes) continue scanning
    }
    if (position >= limit && position < text.length) break
    const symbol = symbolBehind(program, text, position)
    let edge = table[offset + symbol] ?? unknown
    if (edge === unknown) {
      edge = automaton.build(offset, symbol)
      table = automaton.table
      if (automaton.work - builtBefore >= turn.left) limit = position
    }
    if (edge > 0 && (edge & 1) === 1) scan.marked = position
    offset = offsetOfEdge(edge)
    scan.isOver = offset === dead || symbol === border || (isFirstEnough && scan.marked >= 0)
    if (scan.isOver) break
    position += isPair(text, position) ? 2 : 1
  }
  scan.isOver ||= position < 0
  turn.left = scan.isOver ? turn.left - Math.abs(position - begun) - automaton.work + builtBefore : 0
  scan.position = position
  scan.state = automaton.stateAt(offset)
}

/** Scans backwards, not beyond `from`. */
function scanBack(
  program: Program,
  automaton: Automaton,
  text: string,
  from: number,
  scan: Scan,
  turn: Turn,
): void {
  const builtBefore = automaton.work
  const begun = scan.position
  let { position } = scan
  let offset = automaton.offsetOf(scan.state)
  const { latin } = program
  while (begun - position + automaton.work - builtBefore < turn.left) {
    const { table } = automaton
    // The fast loop, as in `scanAhead`.
    while (position > from && begun - position < turn.left) {
      const unit = text.charCodeAt(position - 1)
      if (unit > 255) break
      const edge = table[offset + (latin[unit] ?? 0)] ?? unknown
      if (edge <= markedEnd) break
      if ((edge & 1) !== 0) scan.marked = position
      offset = edge >> 1
      position -= 1
    }
    const symbol = symbolBefore(program, text, position)
    const known = table[offset + symbol] ?? unknown
    const edge = known === unknown ? automaton.build(offset, symbol) : known
    if (edge > 0 && (edge & 1) === 1) scan.marked = position
    offset = offsetOfEdge(edge)
    if (offset === dead || position === from) {
      scan.isOver = true
      turn.left -= begun - position + automaton.work - builtBefore
      return
    }
    position -= isPair(text, position - 2) ? 2 : 1
  }
  turn.left = 0
  scan.position = position
  scan.state = automaton.stateAt(offset)
}

/** Class of the character before a position; the border at the start of the text. */
export function symbolBefore(program: Program, text: string, position: number): CharacterClass {
  if (position === 0) return program.border
  return symbolBehind(program, text, isPair(text, position - 2) ? position - 2 : position - 1)
}

/** Class of the character at a position; the border at the end of the text. */
export function symbolBehind(program: Program, text: string, position: number): CharacterClass {
  if (position >= text.length) return program.border
  const unit = text.charCodeAt(position)
  return unit < 256 ? (program.latin[unit] ?? 0) : program.classOf(text.codePointAt(position) ?? unit)
}

/** Whether a surrogate pair starts at a position. */
export function isPair(text: string, position: number): boolean {
  if (position < 0 || position + 1 >= text.length) return false
  const rune = text.codePointAt(position) ?? 0
  return rune > 0xffff
}
