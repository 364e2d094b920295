/**
 * Patterns that callers and configs choose, in RE2 syntax, matched in linear time. Written bare, or as `/pattern/flags`
 * with the flags i, m, s, g, u.
 *
 * re2js parses and compiles a pattern. The engine of this package runs the compiled program with lazy DFAs and in turns,
 * so that no pattern and no text blocks the event loop for more than a few milliseconds. The search of re2js
 * can block it longer: docs/performance-patterns.md has the figures.
 */
import { RE2JS } from 're2js'
import { type Captures, findGroups } from './groups.ts'
import { longestMatch } from './longest-match.ts'
import type { Pattern } from './pattern.ts'
import { type Program, readProgram } from './program.ts'
import { fillIn, refers } from './replacement.ts'
import { createSearch, isPair, type Search, type Span } from './search.ts'
import { largestSize, sizeOf, sizeOfSmallest, TooLargeError } from './size.ts'
import { compiledOnce, countSize } from './together.ts'
import { runAtOnce, Turn, type Turns } from './turns.ts'

export type { Pattern } from './pattern.ts'
export { TooLargeError } from './size.ts'
export { compileTogether, countSize } from './together.ts'
export { runInTurns, type Turns } from './turns.ts'

/**
 * Compiles a pattern.
 * @throws Error whose message says what is wrong with it; `TooLargeError`, also for its share of `compileTogether`
 */
export function compilePattern(rule: string): Pattern {
  const { source, flags } = split(rule)
  return compiledOnce(`${flags}/${source}`, () => compile(source, flags))
}

function compile(source: string, flags: number): Pattern {
  const size = sizeOf(source, (flags & RE2JS.CASE_INSENSITIVE) !== 0)
  if (size > largestSize)
    throw new TooLargeError(
      `it is too large: as large as ${size} characters without repetitions (at most ${largestSize})`,
    )
  countSize(sizeOfSmallest + size)
  const compiled = RE2JS.compile(source, flags)
  const program = readProgram(compiled)
  const search = createSearch(program)
  const inTurns: Pattern['inTurns'] = {
    test: (text) => search.test(text, new Turn()),
    find: (text, limit) => findAll(search, text, limit),
    replace: (text, replacement) => replaceAll(program, search, { text, replacement }),
  }
  return {
    test: (text) => runAtOnce(inTurns.test(text)),
    find: (text, limit) => runAtOnce(inTurns.find(text, limit)),
    replace: (text, replacement) => runAtOnce(inTurns.replace(text, replacement)),
    longestMatch: () => longestMatch(program),
    inTurns,
  }
}

function* findAll(search: Search, text: string, limit: number): Turns<Span[]> {
  const turn = new Turn()
  const found: Span[] = []
  for (let from = 0; found.length < limit; ) {
    const span = yield* search.next(text, from, turn)
    if (span === null) break
    found.push(span)
    from = positionAfter(text, span)
  }
  return found
}

function* replaceAll(
  program: Program,
  search: Search,
  { text, replacement }: { text: string; replacement: string },
): Turns<string> {
  const turn = new Turn()
  const pieces: string[] = []
  let copied = 0
  for (let from = 0; ; ) {
    const span = yield* search.next(text, from, turn)
    if (span === null) break
    pieces.push(text.slice(copied, span.start))
    if (refers(replacement)) {
      const captures: Captures = yield* findGroups(program, text, span, turn)
      pieces.push(fillIn(program, replacement, { text, captures }))
    } else pieces.push(replacement)
    copied = span.end
    from = positionAfter(text, span)
  }
  return copied === 0 && pieces.length === 0 ? text : pieces.join('') + text.slice(copied)
}

/** Where the search for the next match starts; an empty match advances by one character. */
function positionAfter(text: string, { start, end }: Span): number {
  if (start < end) return end
  return end + (isPair(text, end) ? 2 : 1)
}

const flagBits: Record<string, number> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  g: 0,
  u: 0,
}

function split(rule: string): { source: string; flags: number } {
  const written = /^\/(.+)\/([a-z]*)$/s.exec(rule)
  if (written === null) return { source: rule, flags: 0 }
  let flags = 0
  for (const letter of written[2] ?? '') {
    const bit = flagBits[letter]
    if (bit === undefined)
      throw new Error(`unknown flag "${letter}" (known: ${Object.keys(flagBits).join('')})`)
    flags |= bit
  }
  return { source: written[1] ?? '', flags }
}
