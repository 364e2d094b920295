/** Searches for the phrases among the known words of a text. */
import type { Hit } from './hit.ts'
import { type Phrase, phrases } from './phrases.ts'
import type { Group } from './vocabulary.ts'
import { groupsOf, vocabularySize, type Words } from './words.ts'

/** A step of a phrase: the numbers of the matching words, and how many others may come before one. */
interface Step {
  fits: Uint8Array
  gap: number
}

interface Prepared extends Pick<Phrase, 'id' | 'weight'> {
  /** The steps after the first word. */
  rest: Step[]
}

const fitsOf = (group: Group) =>
  Uint8Array.from({ length: vocabularySize }, (_, id) => (groupsOf(id).has(group) ? 1 : 0))

type Table = readonly (readonly Prepared[] | undefined)[]

/** By number of the first word. */
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

/** The most reported occurrences of each phrase. */
const mostOfOne = 20

export function findPhrases(words: Words): Hit[] {
  // Built on first use, because a start should not wait for it.
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

/** The row of the last word of a phrase that begins at a row. -1 if the phrase does not continue. */
function lastWord({ ids, indexes }: Words, first: number, steps: readonly Step[]): number {
  let ends = [first]
  for (const { fits, gap } of steps) {
    // A step may end in several places, because words of its group may occur several times.
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
