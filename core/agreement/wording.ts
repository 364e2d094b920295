/**
 * Whether two texts differ only in a few significant words. The more words two texts share, the less their embeddings
 * reflect the others: `price of a laptop` and `price of a printer` are similar, and so are two questions about the same
 * long text.
 */
import { grammarWords, synonymGroups } from './light-words.ts'
import { axes } from './opposite-words.ts'
import { stemOf } from './stem.ts'

const light: ReadonlySet<string> = new Set(grammarWords.flatMap((word) => [word, stemOf(word)]))
const directions: ReadonlySet<string> = new Set(['from', 'to', 'by'])
/** A text may differ in one of this many words. */
const oneOf = 20

/** Stems of synonyms, with the groups to which they belong. */
const groups = new Map<string, Set<number>>()
/** Groups that contain an insignificant word, such as `make`. */
const lightGroups = new Set<number>()
for (const [index, words] of [...synonymGroups, ...axes.flat()].entries())
  for (const word of words) {
    // The particle of a phrase such as `turn on` is a light word.
    const stem = stemOf(word.split('~')[0] ?? '')
    groups.set(stem, (groups.get(stem) ?? new Set()).add(index))
    if (light.has(stem)) lightGroups.add(index)
  }

/** Whether a word belongs to grammar or politeness. */
export const isLight = (word: string): boolean => light.has(word)

/** The number of words that counts as few: one, or a twentieth of the significant words. */
export function fewWords(one: readonly string[], other: readonly string[]): number {
  const count = (words: readonly string[]) => words.filter(matters).length
  return Math.max(1, Math.floor(Math.min(count(one), count(other)) / oneOf))
}

/** Whether at most this many words differ, and not all of them are synonyms. */
export function differInFewWords(one: readonly string[], other: readonly string[], most: number): boolean {
  const [ours, theirs] = differences(contentOf(one), contentOf(other))
  if (ours.length > most || theirs.length > most) return false
  if (ours.length + theirs.length > 0) return !(haveSynonyms(ours, theirs) && haveSynonyms(theirs, ours))
  const [from, to] = differences(directionsOf(one), directionsOf(other))
  return from.length === 1 && to.length === 1
}

const matters = (word: string): boolean => !/^[.#]/.test(word) && !light.has(word)

/** Stems of the significant words. Quantities and negations are compared elsewhere, so `meatless` becomes `meat`. */
const contentOf = (words: readonly string[]) =>
  words.filter(matters).map((word) => stemOf(word.replace(/(?<=\p{L}{3})less$/u, '')))

const directionsOf = (words: readonly string[]) =>
  words.map((word) => (word === 'into' ? 'to' : word)).filter((word) => directions.has(word))

/** Words that occur in one text but not, or less often, in the other. */
function differences(one: readonly string[], other: readonly string[]): [string[], string[]] {
  const counts = new Map<string, number>()
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const word of other) counts.set(word, (counts.get(word) ?? 0) - 1)
  const repeated = (sign: number) =>
    [...counts].flatMap(([word, count]) => new Array<string>(Math.max(0, count * sign)).fill(word))
  return [repeated(1), repeated(-1)]
}

/** Whether each word has a synonym among the others, or is in a group with an insignificant word. */
const haveSynonyms = (words: readonly string[], others: readonly string[]): boolean =>
  words.every((word) => {
    const own = [...(groups.get(word) ?? [])]
    return own.some(
      (group) => lightGroups.has(group) || others.some((other) => groups.get(other)?.has(group)),
    )
  })
