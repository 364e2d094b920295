/**
 * Estimates what it takes to compile a pattern, from its text, because a short pattern can take seconds. The unit is a
 * literal character: about three microseconds.
 */

/** The maximum cost of a pattern: some tens of milliseconds. */
export const largestSize = 10_000

/** The cost of the smallest pattern. */
export const sizeOfSmallest = 20

/** The maximum cost of patterns and schemas that are compiled together: about 50 ms. */
export const largestSum = 15_000

/** A pattern, or several together, that would take too long to compile. */
export class TooLargeError extends Error {}

/** Parsing looks up the ranges of a Unicode class, and instructions of one copy them. */
const unicodeClass = { parsed: 80, perInstruction: 10 }
/** Common beginnings of alternatives are factored out. */
const alternative = 8
/** Ranges of a class that one instruction compares in the time of a unit. */
const rangesPerUnit = 20
/** Code points of a range whose other cases are found in the time of a unit. */
const foldedPerUnit = 60
/** No code point above this has another case. */
const lastFolded = 0x1e943

/** An escape, a class with everything in it, an end of a group, a quantifier, or any other character. */
const tokens =
  /\\Q(?<quoted>[\s\S]*?)(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x\{[^}]*\}|\\[\s\S]|(?<class>\[\^?\]?(?:\[:\^?\w+:\]|\\[pP](?:\{[^}]*\}|.)|\\[\s\S]|[^\]\\])*\]?)|\{(?<least>\d{1,4})(?<comma>,)?(?<most>\d{1,4})?\}|\((?:\?[^):>]*[:>)]?)?|[\s\S]/gu

interface Group {
  /** The size of everything in the group. */
  size: number
  /** The size of the last item, which a quantifier repeats. */
  last: number
}

/** The estimated size of a pattern without its flags. */
export function sizeOf(source: string, isCaseInsensitive: boolean): number {
  const folds = isCaseInsensitive || /\(\?[a-zA-Z-]*i/.test(source)
  let parsed = source.length
  const open: Group[] = [{ size: 0, last: 0 }]
  for (const { 0: token, groups = {} } of source.matchAll(tokens)) {
    const group = open.at(-1) ?? { size: 0, last: 0 }
    if (token.startsWith('(')) {
      open.push({ size: 1, last: 0 })
      continue
    }
    if (token === ')') {
      if (open.length > 1) open.pop()
      add(open.at(-1) ?? group, group.size)
      continue
    }
    if (groups.least !== undefined) {
      repeat(group, Number(groups.least), groups.comma === undefined ? null : (groups.most ?? ''))
      continue
    }
    if (token === '|') parsed += alternative
    const item = itemOf(token, groups.class, folds)
    parsed += item.parsed
    add(group, groups.quoted === undefined ? item.perInstruction : groups.quoted.length)
  }
  return Math.ceil(parsed + open.reduce((sum, { size }) => sum + size, 0))
}

function add(group: Group, size: number): void {
  group.size += size
  group.last = size
}

/** @param most null without a comma, empty without a number after it */
function repeat(group: Group, least: number, most: string | null): void {
  // Each optional repetition has a branch.
  const times = most === null ? least : most === '' ? least + 1 : 2 * Number(most) - least
  const { last } = group
  group.size += last * Math.max(0, times - 1)
  group.last = last * Math.max(1, times)
}

const range = /(?<from>\\x\{[^}]+\}|\\[\s\S]|[^\\])-(?<to>\\x\{[^}]+\}|\\[\s\S]|[^\]\\])/gu
const unicodeNames = /\\[pP]|\[:\^/g

function itemOf(token: string, characterClass: string | undefined, folds: boolean) {
  const names = token.match(unicodeNames)?.length ?? 0
  const unicode = {
    parsed: names * unicodeClass.parsed * (folds ? 2 : 1),
    perInstruction: 1 + names * unicodeClass.perInstruction,
  }
  if (characterClass === undefined) return unicode
  const folded = folds
    ? [...characterClass.matchAll(range)].reduce((sum, { groups = {} }) => sum + widthOf(groups), 0) /
      foldedPerUnit
    : 0
  return {
    parsed: unicode.parsed + folded,
    perInstruction: unicode.perInstruction + characterClass.length / rangesPerUnit,
  }
}

/** Code points of a range that can have another case. */
const widthOf = ({ from = '', to = '' }: Record<string, string | undefined>): number =>
  Math.max(0, Math.min(runeOf(to), lastFolded) - runeOf(from))

/** The code point of a written character; of an escape in octal, the largest. */
function runeOf(written: string): number {
  const [, hex] = /^\\x\{([0-9a-fA-F]+)\}$/.exec(written) ?? []
  if (hex !== undefined) return Number.parseInt(hex, 16)
  return (written.startsWith('\\') ? written.codePointAt(1) : written.codePointAt(0)) ?? 0
}
