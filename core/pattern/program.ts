/** A compiled pattern in the form that the engine runs: instructions, character classes and required literals. */
import type { RE2JS } from 're2js'
import {
  Condition,
  type Instruction,
  Op,
  type Prefilter,
  PrefilterType,
  readInternals,
} from './re2js-internals.ts'

export { Op } from './re2js-internals.ts'

/** Number of a character class. Code points that no instruction distinguishes share one. */
export type CharacterClass = number

export interface Program {
  start: number
  /** By instruction: its code (all that consume a character are `Op.rune`) and the next instruction. */
  op: Uint8Array
  out: Int32Array
  /** The second branch of `alternate`, the conditions of `assert`, the slot of `capture`. */
  arg: Int32Array
  /** Stands for the start and the end of the text; the number after the last character class. */
  border: CharacterClass
  /** Classes of the code points below 256. */
  latin: Uint16Array
  /** Class of any code point. */
  classOf(rune: number): CharacterClass
  /** Whether an instruction consumes the characters of a class. */
  consumes(instruction: number, symbol: CharacterClass): boolean
  kindOf(symbol: CharacterClass): number
  /** Matches only at the start of the text. */
  isAnchored: boolean
  /** The literal with which every match starts; empty if matches share no beginning. */
  prefix: string
  /** The prefix is the whole pattern. */
  isLiteral: boolean
  required: Required
  groups: number
  groupNames: Readonly<Record<string, number>>
}

/** Literals that every match contains. */
export type Required = { text: string } | { all: Required[] } | { any: Required[] } | null

/** Kinds of character next to a position, as far as assertions tell them apart. */
const Kind = { border: 0, newline: 1, word: 2, other: 3 }

const { beginLine, endLine, beginText, endText, wordBoundary, noWordBoundary } = Condition

/** The conditions that hold between a character of kind `before` and one of kind `behind`. */
export function conditionsBetween(before: number, behind: number): number {
  const left = before === Kind.border ? beginText | beginLine : before === Kind.newline ? beginLine : 0
  const right = behind === Kind.border ? endText | endLine : behind === Kind.newline ? endLine : 0
  return left | right | ((before === Kind.word) !== (behind === Kind.word) ? wordBoundary : noWordBoundary)
}

const largestRune = 0x10ffff
const newline = 10

/** Reads the program of a compiled pattern. */
export function readProgram(compiled: RE2JS): Program {
  const internals = readInternals(compiled)
  const { instructions, classBounds: bounds } = internals
  const op = Uint8Array.from(instructions, (instruction) => Math.min(instruction.op, Op.rune))
  const arg = Int32Array.from(instructions, (instruction) => instruction.arg)
  const out = Int32Array.from(instructions, (instruction) => passOver(instructions, instruction.out))
  const asserted = instructions.reduce((all, { op, arg }) => (op === Op.assert ? all | arg : all), 0)
  const runeOf = (symbol: CharacterClass) => (symbol === 0 ? 0 : (bounds[symbol - 1] ?? largestRune))
  const latin = pageOf(bounds, 0)
  const border = bounds.length + 1
  const kinds = Uint8Array.from({ length: border + 1 }, (_, symbol) =>
    symbol === border ? Kind.border : kindOfRune(runeOf(symbol), asserted),
  )
  return {
    start: passOver(instructions, internals.start),
    op,
    out,
    arg,
    border,
    latin,
    classOf: classesBy(bounds, latin),
    consumes: (instruction, symbol) => instructions[instruction]?.matchRune(runeOf(symbol)) ?? false,
    kindOf: (symbol) => kinds[symbol] ?? Kind.other,
    isAnchored: (internals.startConditions & beginText) !== 0,
    prefix: internals.prefix,
    isLiteral: internals.isLiteral,
    required: readPrefilter(internals.prefilter),
    groups: compiled.groupCount(),
    groupNames: compiled.namedGroups(),
  }
}

/** The first instruction from `start` on that does something; captures are kept for `findGroups`. */
function passOver(instructions: readonly Instruction[], start: number): number {
  let at = start
  while (instructions[at]?.op === Op.skip) at = instructions[at]?.out ?? 0
  return at
}

/** Kinds that no assertion asks for are merged, which makes fewer states. */
function kindOfRune(rune: number, asserted: number): number {
  if (rune === newline && (asserted & (beginLine | endLine)) !== 0) return Kind.newline
  const isWord = (asserted & (wordBoundary | noWordBoundary)) !== 0 && isWordRune(rune)
  return isWord ? Kind.word : Kind.other
}

const isWordRune = (rune: number) =>
  (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122)

const pageBits = 8
const pageSize = 1 << pageBits

/** Looks classes up by their bounds; those of the first 65,536 code points are cached in pages of 256. */
function classesBy(bounds: Int32Array, latin: Uint16Array): Program['classOf'] {
  const pages: (Uint16Array | undefined)[] = [latin]
  return (rune) => {
    const number = rune >> pageBits
    if (number >= pageSize) return countUpTo(bounds, rune)
    const page = pages[number] ?? pageOf(bounds, number)
    pages[number] = page
    return page[rune & (pageSize - 1)] ?? 0
  }
}

function pageOf(bounds: Int32Array, number: number): Uint16Array {
  const page = new Uint16Array(pageSize)
  const first = number << pageBits
  let symbol = countUpTo(bounds, first)
  for (let index = 0; index < pageSize; index += 1) {
    while ((bounds[symbol] ?? Number.POSITIVE_INFINITY) <= first + index) symbol += 1
    page[index] = symbol
  }
  return page
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

/** Searching for more literals than this, one after the other, is no faster than the automaton. */
const mostTexts = 4

function readPrefilter(filter: Prefilter | null): Required {
  if (filter === null) return null
  if (filter.type === PrefilterType.exact) return { text: filter.str }
  const subs = filter.subs.map(readPrefilter)
  const known = subs.filter((sub) => sub !== null)
  if (filter.type === PrefilterType.all) return known.length === 0 ? null : { all: known.slice(0, mostTexts) }
  if (filter.type === PrefilterType.any)
    return known.length < subs.length || subs.length > mostTexts ? null : { any: known }
  return null
}

/** Whether a text contains the literals that every match contains. */
export function mayMatch(required: Required, text: string): boolean {
  if (required === null) return true
  if ('text' in required) return text.includes(required.text)
  if ('all' in required) return required.all.every((each) => mayMatch(each, text))
  return required.any.some((each) => mayMatch(each, text))
}
