/** Whether two texts use opposite words: words from the list, or a word and the same word with a reversing prefix. */
import { axes, polarPrefixes, reversingPrefixes } from './opposite-words.ts'
import { stemOf } from './stem.ts'

interface Pole {
  axis: number
  pole: number
}

const polesOfWord = new Map<string, Pole[]>()
/** Phrases whose words may be apart: `turn it on`. */
const phrases = new Map<string, { second: string; at: Pole }[]>()

for (const [axis, poles] of axes.entries())
  for (const [pole, forms] of poles.entries())
    for (const form of forms) {
      const [first = '', second] = form.split('~').map(stemOf)
      if (second === undefined) polesOfWord.set(first, [...(polesOfWord.get(first) ?? []), { axis, pole }])
      else phrases.set(first, [...(phrases.get(first) ?? []), { second, at: { axis, pole } }])
    }

/** The maximum number of words between the two of a phrase. */
const reach = 5

/** The poles that the text names for each axis, in order, as `axis:poles`. */
export function polesOf(words: readonly string[]): string[] {
  const found = new Map<number, Set<number>>()
  const note = ({ axis, pole }: Pole) => found.set(axis, (found.get(axis) ?? new Set()).add(pole))
  const known = new Map<string, string>()
  const stems = words.map((word) => {
    const stem = known.get(word) ?? stemOf(word)
    known.set(word, stem)
    return stem
  })
  for (const [index, stem] of stems.entries()) {
    for (const pole of polesOfWord.get(stem) ?? []) note(pole)
    for (const { second, at } of phrases.get(stem) ?? [])
      if (stems.slice(index + 1, index + 1 + reach).includes(second)) note(at)
  }
  return [...found]
    .sort(([one], [other]) => one - other)
    .map(([axis, poles]) => `${axis}:${[...poles].sort().join()}`)
}

/** Whether both texts name poles of an axis, but different ones. */
export function areOpposed(one: readonly string[], other: readonly string[]): boolean {
  const theirs = new Map(other.map((pole) => pole.split(':') as [string, string]))
  return one.some((pole) => {
    const [axis = '', poles = ''] = pole.split(':')
    const opposite = theirs.get(axis)
    return opposite !== undefined && opposite !== poles
  })
}

/** Whether a word of one text is a word of the other with a reversing prefix, or with the opposite prefix. */
export function areReversed(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const theirs = new Set([...other].filter((word) => !one.has(word)).map(stemOf))
  const ours = new Set([...one].filter((word) => !other.has(word)).map(stemOf))
  return reverses(ours, theirs) || reverses(theirs, ours)
}

function reverses(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean {
  for (const word of ours) {
    for (const prefix of reversingPrefixes)
      if (
        word.length >= prefix.length + 4 &&
        word.startsWith(prefix) &&
        theirs.has(word.slice(prefix.length))
      )
        return true
    for (const [prefix, opposite] of polarPrefixes)
      if (
        word.length >= prefix.length + 3 &&
        word.startsWith(prefix) &&
        theirs.has(opposite + word.slice(prefix.length))
      )
        return true
  }
  return false
}
