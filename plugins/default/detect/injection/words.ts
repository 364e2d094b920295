/**
 * The known words of a text, in their order. Each word is hashed while it is walked through, and the hash is looked up:
 * two words of one hash count as the same, which can only find too much, and never does in the vocabulary.
 */
import { type Group, groups } from './vocabulary.ts'

/** Known words as columns; a row is a word. */
export interface Words {
  /** The word's number in the vocabulary. */
  ids: number[]
  /** Its number in the text; the end of a sentence counts as several words. */
  indexes: number[]
  starts: number[]
  ends: number[]
  /** The text has characters that are not seen, or look like others. */
  isOdd: boolean
  /** The text has characters of scripts without spaces. */
  isUnspaced: boolean
}

const nextHash = (hash: number, code: number) => (Math.imul(hash, 31) + code) | 0
const slots = 4096
const slotOf = (hash: number) => (hash ^ (hash >>> 12)) & (slots - 1)

/** Hashes by slot, and the words' numbers beside them, from 1; 0 is an empty slot. */
const hashes = new Int32Array(slots)
const numbers = new Uint16Array(slots)
const groupsOfWord: ReadonlySet<Group>[] = [new Set()]

function register(): void {
  const groupsOf = new Map<string, Set<Group>>()
  for (const [group, words] of Object.entries(groups) as [Group, string][])
    for (const word of words.split(' ')) groupsOf.set(word, (groupsOf.get(word) ?? new Set()).add(group))
  for (const [word, own] of groupsOf) {
    let hash = 0
    for (let at = 0; at < word.length; at++) hash = nextHash(hash, word.charCodeAt(at))
    let slot = slotOf(hash)
    while (numbers[slot] !== 0) slot = (slot + 1) & (slots - 1)
    hashes[slot] = hash
    numbers[slot] = groupsOfWord.push(own) - 1
  }
}
register()

/** The groups of a word of the vocabulary. */
export const groupsOf = (id: number): ReadonlySet<Group> => groupsOfWord[id] ?? new Set()

/** How many words there are, and one. */
export const vocabularySize = groupsOfWord.length

function lookUp(hash: number): number {
  let slot = slotOf(hash)
  for (let number = numbers[slot] ?? 0; number !== 0; number = numbers[slot] ?? 0) {
    if (hashes[slot] === hash) return number
    slot = (slot + 1) & (slots - 1)
  }
  return 0
}

/** So many words the end of a sentence counts. */
const sentenceGap = 4

/** By code below 592: the letter in lower case; 0 for what is none. */
const lowered = Uint16Array.from({ length: 0x250 }, (_, code) => {
  const letter = String.fromCharCode(code)
  return /\p{L}/u.test(letter) && code !== 0xaa && code !== 0xba ? letter.toLowerCase().charCodeAt(0) : 0
})

/** A letter of another alphabet in lower case; 0 for what is none. */
function farLetterOf(code: number): number {
  if (code >= 0x410 && code <= 0x42f) return code + 32
  return code >= 0x2000 ? 0 : code
}

/** Soft hyphens, signs of no width, marks of direction, full-width letters, letters of mathematics, tags. */
function isOddCode(code: number): boolean {
  if (code < 0x200b) return code === 0xad
  return (
    code <= 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x2064) ||
    code === 0xfeff ||
    (code >= 0xff21 && code <= 0xff5a) ||
    code === 0xd835 ||
    code === 0xdb40
  )
}

/** Walks through a text once. */
export function readWords(text: string): Words {
  const words: Words = { ids: [], indexes: [], starts: [], ends: [], isOdd: false, isUnspaced: false }
  let index = 0
  let hash = 0
  let start = -1
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 32
    const letter = code < 0x250 ? (lowered[code] ?? 0) : farLetterOf(code)
    if (letter !== 0) {
      if (start < 0) start = at
      hash = nextHash(hash, letter)
      continue
    }
    if (start >= 0) {
      const id = lookUp(hash)
      if (id !== 0) {
        words.ids.push(id)
        words.indexes.push(index)
        words.starts.push(start)
        words.ends.push(at)
      }
      index += 1
      start = -1
      hash = 0
    }
    if (code === 46 || code === 33 || code === 63) index += sentenceGap
    else if (code === 10) index += 1
    else if (code >= 0xad) {
      words.isOdd ||= isOddCode(code)
      words.isUnspaced ||= code >= 0x3040 && code <= 0xd7af
    }
  }
  return words
}
