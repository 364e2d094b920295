/** Whether two texts contain the same names, and the same words in the same roles. */
import type { Question } from './question-type.ts'
import { singular } from './stem.ts'
import { isLight } from './wording.ts'

/** Words that can occur between a word and its context without changing it. */
const determiners: ReadonlySet<string> = new Set(
  (
    'the a an my your our their its this that these those ' +
    'der die das den dem des ein eine einen einem einer le la les l un une des el los las una lo il gli i o os as um uma'
  ).split(' '),
)

/** The words without determiners, in the singular. */
export const inOrder = (words: readonly string[]): string[] =>
  words.filter((word) => !determiners.has(word)).map((word) => (word.startsWith('#') ? word : singular(word)))

/** Whether each name of one text is a word of the other. */
export function haveNames({ names }: Question, { words }: Question): boolean {
  if (names.length === 0) return true
  const known = new Set(words)
  return names.every((name) => known.has(name))
}

/** The maximum number of words next to a context that are compared. */
const mostInPlace = 50

interface Neighbours {
  before: ReadonlyMap<string, ReadonlySet<string>>
  behind: ReadonlyMap<string, ReadonlySet<string>>
  /** The first position of each word. */
  places: ReadonlyMap<string, number>
}

function neighboursOf(words: readonly string[]): Neighbours {
  const before = new Map<string, Set<string>>()
  const behind = new Map<string, Set<string>>()
  const places = new Map<string, number>()
  const note = (map: Map<string, Set<string>>, word: string, other: string) => {
    const others = map.get(word)
    if (others === undefined) map.set(word, new Set([other]))
    else others.add(other)
  }
  for (const [index, word] of words.entries()) {
    if (word === '.') continue
    if (!places.has(word)) places.set(word, index)
    const next = words[index + 1]
    if (next === undefined || next === '.') continue
    note(behind, word, next)
    note(before, next, word)
  }
  return { before, behind, places }
}

/**
 * Whether two words have swapped places, as in `from Paris to London` and `from London to Paris`: each one has, before
 * or after it, what the other one has in the other text.
 */
export function haveSwapped(one: readonly string[], other: readonly string[]): boolean {
  const [ours, theirs] = [neighboursOf(one), neighboursOf(other)]
  const exchanged = new Set<string>()
  for (const side of ['behind', 'before'] as const)
    for (const [context, words] of ours[side])
      for (const [x, y] of replaced(words, theirs[side].get(context))) {
        if (!isInverted(ours, theirs, { x, y })) continue
        if (exchanged.has(`${y} ${x}`)) return true
        // Another context for the same direction is no further evidence, because compound words are built that way.
        exchanged.add(`${x} ${y}`)
      }
  return false
}

/** Words next to a context in one text only, each with those next to it in the other text only. */
function* replaced(
  ours: ReadonlySet<string>,
  theirs: ReadonlySet<string> | undefined,
): Generator<[string, string]> {
  if (theirs === undefined) return
  const without = (words: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...words].filter((word) => !others.has(word) && !isLight(word)).slice(0, mostInPlace)
  for (const x of without(ours, theirs)) for (const y of without(theirs, ours)) yield [x, y]
}

function isInverted(ours: Neighbours, theirs: Neighbours, { x, y }: { x: string; y: string }): boolean {
  const places = [ours.places.get(x), ours.places.get(y), theirs.places.get(x), theirs.places.get(y)]
  const [ourX, ourY, theirX, theirY] = places
  if (ourX === undefined || ourY === undefined || theirX === undefined || theirY === undefined) return false
  return ourX < ourY !== theirX < theirY
}

/** Whether two names appear in the opposite order, unless both keep the word before them: `from Paris`, `to London`. */
export function haveMoved(
  names: ReadonlySet<string>,
  one: readonly string[],
  other: readonly string[],
): boolean {
  const sequence = (words: readonly string[]) => [...new Set(words.filter((word) => names.has(word)))]
  const [ours, theirs] = [sequence(one), sequence(other)]
  if (ours.join(' ') === theirs.join(' ')) return false
  const [before, after] = [neighboursOf(one).before, neighboursOf(other).before]
  return ours.some((name, index) => {
    if (theirs[index] === name) return false
    const [words, others] = [before.get(name), after.get(name)]
    return ![...(words ?? [])].some((word) => others?.has(word))
  })
}
