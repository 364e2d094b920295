/**
 * The private members of re2js that the engine reads: the compiled program, its character classes and its literals.
 * No other file of this package reaches past re2js's public API.
 *
 * `package.json` pins the exact version, and `test/core/pattern/re2js-internals.test.ts` fails when another version
 * changes what is read here. An unrecognised structure is an error when a pattern is compiled, never a wrong match.
 */
import type { RE2JS } from 're2js'

/** Instruction codes of re2js; 8 to 11 all consume one character and are one code to the engine. */
export const Op = {
  alternate: 1,
  alternateMatch: 2,
  capture: 3,
  assert: 4,
  fail: 5,
  match: 6,
  skip: 7,
  rune: 8,
} as const

const largestOp = 11

/** Bits of `arg` of an `assert` instruction, and of `startConditions`. */
export const Condition = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const

export interface Instruction {
  readonly op: number
  /** Index of the next instruction. */
  readonly out: number
  /** `alternate`: index of the second branch; `assert`: conditions; `capture`: slot. */
  readonly arg: number
  matchRune(rune: number): boolean
}

/** A tree of literals that every match contains. */
export interface Prefilter {
  readonly type: number
  readonly str: string
  readonly subs: readonly Prefilter[]
}

/** Values of `type` in a prefilter. */
export const PrefilterType = { exact: 1, all: 2, any: 3 } as const

export interface Internals {
  readonly instructions: readonly Instruction[]
  readonly start: number
  /** First code points of all character classes but the first, ascending. */
  readonly classBounds: Int32Array
  /** Conditions that hold where a match starts. */
  readonly startConditions: number
  /** The literal with which every match starts; empty if matches share no beginning. */
  readonly prefix: string
  /** The prefix is the whole pattern. */
  readonly isLiteral: boolean
  readonly prefilter: Prefilter | null
}

/** Reads what re2js compiled. */
export function readInternals(compiled: Pick<RE2JS, 're2'>): Internals {
  const engine = compiled.re2()
  const instructions: readonly Instruction[] | undefined = engine.prog?.inst
  expectKnown(Array.isArray(instructions) && instructions.every(isKnown), 'instructions')
  expectKnown(Number.isInteger(engine.prog.start), 'start')
  const classBounds: Int32Array | undefined = engine.dfa?.classBounds
  expectKnown(classBounds instanceof Int32Array, 'character classes')
  expectKnown(Number.isInteger(engine.cond), 'start conditions')
  return {
    instructions,
    start: engine.prog.start,
    classBounds,
    startConditions: engine.cond,
    prefix: engine.prefix ?? '',
    isLiteral: engine.prefixComplete,
    prefilter: engine.prefilter ?? null,
  }
}

const isKnown = ({ op, out, arg, matchRune }: Instruction) =>
  op >= Op.alternate &&
  op <= largestOp &&
  Number.isInteger(out) &&
  Number.isInteger(arg) &&
  typeof matchRune === 'function'

function expectKnown(isRecognised: boolean, what: string): asserts isRecognised {
  if (!isRecognised)
    throw new Error(
      `cannot read the ${what} of a compiled pattern: another version of re2js is installed than package.json of @gateway/pattern pins`,
    )
}
