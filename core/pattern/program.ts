/**
 * The compiled form of a pattern, as the linear-time engine parses it: a program of instructions, the classes of
 * characters that it tells apart, and the texts without which it cannot match.
 */
import type { RE2JS } from 're2js'

/** Instructions, in the engine's numbers. */
export const Op = {
  alternate: 1,
  alternateMatch: 2,
  capture: 3,
  assert: 4,
  fail: 5,
  match: 6,
  skip: 7,
  rune: 8,
}

/** The text's border, in the place of a character's class. */
export type CharacterClass = number

export interface Program {
  start: number
  /** By instruction: what it is (all that consume a character are `Op.rune`), and where it goes on. */
  op: Uint8Array
  out: Int32Array
  /** The second way of `alternate`, the conditions of `assert`, the number of `capture`. */
  arg: Int32Array
  /** Characters that no instruction tells apart have one class; the border of the text is the class after the last. */
  border: CharacterClass
  /** Class of the code points below 256. */
  latin: Uint16Array
  /** Class of any code point. */
  classOf(rune: number): CharacterClass
  /** Whether an instruction consumes the characters of a class. */
  consumes(instruction: number, symbol: CharacterClass): boolean
  kindOf(symbol: CharacterClass): number
  /** Matches at the start of the text alone. */
  isAnchored: boolean
  /** What every match begins with; empty when nothing is known. */
  prefix: string
  /** Whether the prefix is the whole of it. */
  isLiteral: boolean
  required: Required
  groups: number
  groupNames: Readonly<Record<string, number>>
}

/** Texts that a match cannot be without. */
export type Required = { text: string } | { all: Required[] } | { any: Required[] } | null

/** What stands on one side of a position. */
export const Kind = { border: 0, newline: 1, word: 2, other: 3 }

const beginLine = 1
const endLine = 2
const beginText = 4
const endText = 8
const wordBoundary = 16
const noWordBoundary = 32

/** The conditions that hold between what stands before a position and what stands behind it. */
export function conditionsBetween(before: number, behind: number): number {
  const left = before === Kind.border ? beginText | beginLine : before === Kind.newline ? beginLine : 0
  const right = behind === Kind.border ? endText | endLine : behind === Kind.newline ? endLine : 0
  return left | right | ((before === Kind.word) !== (behind === Kind.word) ? wordBoundary : noWordBoundary)
}

/** The parts of the engine's instruction and prefilter that are read here. */
interface Instruction {
  op: number
  out: number
  arg: number
  matchRune(rune: number): boolean
}
interface Prefilter {
  type: number
  str: string
  subs: Prefilter[]
}

const largestRune = 0x10ffff
const newline = 10

/** Reads the program of a compiled pattern. */
export function readProgram(compiled: RE2JS): Program {
  const engine = compiled.re2()
  const instructions = engine.prog.inst as readonly Instruction[]
  const op = Uint8Array.from(instructions, (instruction) => Math.min(instruction.op, Op.rune))
  const arg = Int32Array.from(instructions, (instruction) => instruction.arg)
  const out = Int32Array.from(instructions, (instruction) => passOver(instructions, instruction.out))
  const bounds: Int32Array = engine.dfa.classBounds
  const asserted = instructions.reduce((all, { op, arg }) => (op === Op.assert ? all | arg : all), 0)
  const runeOf = (symbol: CharacterClass) => (symbol === 0 ? 0 : (bounds[symbol - 1] ?? largestRune))
  const classOf = classesBy(bounds)
  const border = bounds.length + 1
  const kinds = Uint8Array.from({ length: border + 1 }, (_, symbol) =>
    symbol === border ? Kind.border : kindOfRune(runeOf(symbol), asserted),
  )
  return {
    start: passOver(instructions, engine.prog.start),
    op,
    out,
    arg,
    border,
    latin: Uint16Array.from({ length: 256 }, (_, rune) => classOf(rune)),
    classOf,
    consumes: (instruction, symbol) => instructions[instruction]?.matchRune(runeOf(symbol)) ?? false,
    kindOf: (symbol) => kinds[symbol] ?? Kind.other,
    isAnchored: (engine.cond & beginText) !== 0,
    prefix: engine.prefix ?? '',
    isLiteral: engine.prefixComplete,
    required: readPrefilter(engine.prefilter),
    groups: engine.numSubexp,
    groupNames: engine.namedGroups,
  }
}

/** Captures stay: who looks for groups meets them. */
function passOver(instructions: readonly Instruction[], start: number): number {
  let at = start
  while (instructions[at]?.op === Op.skip) at = instructions[at]?.out ?? 0
  return at
}

/** Kinds that no condition asks for are one kind, for fewer states. */
function kindOfRune(rune: number, asserted: number): number {
  if (rune === newline && (asserted & (beginLine | endLine)) !== 0) return Kind.newline
  const isWord = (asserted & (wordBoundary | noWordBoundary)) !== 0 && isWordRune(rune)
  return isWord ? Kind.word : Kind.other
}

const isWordRune = (rune: number) =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)

const pageBits = 8
const pageSize = 1 << pageBits

/** Classes are the places between the bounds; those of the first 65,536 code points are kept in pages once asked for. */
function classesBy(bounds: Int32Array): Program['classOf'] {
  const pages: (Uint16Array | undefined)[] = Array.from({ length: pageSize })
  return (rune) => {
    const number = rune >> pageBits
    if (number >= pageSize) return countUpTo(bounds, rune)
    const page =
      pages[number] ??
      Uint16Array.from({ length: pageSize }, (_, index) => countUpTo(bounds, (number << pageBits) + index))
    pages[number] = page
    return page[rune & (pageSize - 1)] ?? 0
  }
}

/** How many of the ascending bounds are not above a value. */
function countUpTo(bounds: Int32Array, value: number): number {
  let low = 0
  let high = bounds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** More texts than this are not looked for, one after the other: the automaton is as fast. */
const mostTexts = 4

function readPrefilter(filter: Prefilter | null): Required {
  if (filter === null) return null
  if (filter.type === 1) return { text: filter.str }
  const subs = filter.subs.map(readPrefilter)
  const known = subs.filter((sub) => sub !== null)
  if (filter.type === 2) return known.length === 0 ? null : { all: known.slice(0, mostTexts) }
  if (filter.type === 3) return known.length < subs.length || subs.length > mostTexts ? null : { any: known }
  return null
}

/** Whether a text has what a match cannot be without. */
export function mayMatch(required: Required, text: string): boolean {
  if (required === null) return true
  if ('text' in required) return text.includes(required.text)
  if ('all' in required) return required.all.every((each) => mayMatch(each, text))
  return required.any.some((each) => mayMatch(each, text))
}
