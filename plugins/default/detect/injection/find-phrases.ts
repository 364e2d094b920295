/** Looks for the phrases among the known words of a text. */
import type { Hit } from './hit.ts'
import { type Phrase, phrases } from './phrases.ts'
import type { Group } from './vocabulary.ts'
import { groupsOf, vocabularySize, type Words } from './words.ts'

/** A step of a phrase: which words fit, by their numbers, and how many others may stand before one. */
interface Step {
  fits: Uint8Array
  gap: number
}

interface Prepared extends Pick<Phrase, 'id' | 'weight'> {
  /** Behind the first word. */
  rest: Step[]
}

const fitsOf = (group: Group) =>
  Uint8Array.from({ length: vocabularySize }, (_, id) => (groupsOf(id).has(group) ? 1 : 0))

type Table = readonly (readonly Prepared[] | undefined)[]

/** By number of the word with which they begin. */
function prepare(): Table {
  const begun: (Prepared[] | undefined)[] = Array.from({ length: vocabularySize })
  for (const { id, weight, steps } of phrases) {
    const [first, ...others] = steps.map(([group, gap]) => ({ fits: fitsOf(group), gap }))
    const prepared = { id, weight, rest: others }
    for (const [word, fits] of first?.fits.entries() ?? [])
      if (fits === 1) begun[word] = [...(begun[word] ?? []), prepared]
  }
  return begun
}

let table: Table | null = null

/** Each phrase is reported so many times at most. */
const mostOfOne = 20

export function findPhrases(words: Words): Hit[] {
  // When it is first needed: a start does not wait for it.
  table ??= prepare()
  const hits: Hit[] = []
  const counts = new Map<string, number>()
  for (let at = 0; at < words.ids.length; at++) {
    for (const { id, weight, rest } of table[words.ids[at] ?? 0] ?? []) {
      const last = lastWord(words, at, rest)
      const count = last < 0 ? mostOfOne : (counts.get(id) ?? 0)
      if (count >= mostOfOne) continue
      counts.set(id, count + 1)
      hits.push({ id, weight, start: words.starts[at] ?? 0, end: words.ends[last] ?? 0 })
    }
  }
  return hits
}

/** The row of the word with which a phrase ends that begins with a row; -1 when it does not go on. */
function lastWord({ ids, indexes }: Words, first: number, steps: readonly Step[]): number {
  let ends = [first]
  for (const { fits, gap } of steps) {
    // The step before may end in several places, for a group's words may stand several times.
    const next: number[] = []
    const limit = (indexes[ends.at(-1) ?? first] ?? 0) + gap + 1
    let nearest = 0
    for (let at = (ends[0] ?? first) + 1; at < ids.length && (indexes[at] ?? 0) <= limit; at++) {
      if (fits[ids[at] ?? 0] !== 1) continue
      while (nearest < ends.length && (indexes[ends[nearest] ?? 0] ?? 0) + gap + 1 < (indexes[at] ?? 0))
        nearest++
      if ((ends[nearest] ?? at) < at) next.push(at)
    }
    if (next.length === 0) return -1
    ends = next
  }
  return ends[0] ?? first
}
