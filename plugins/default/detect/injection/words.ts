/**
 * The known words of a text, in order. Each word is hashed while the text is scanned, and the hash is looked up. Two
 * words with the same hash count as the same, which can only cause false positives, and never does within the
 * vocabulary.
 */
import { type Group, groups } from './vocabulary.ts'

/** Known words as columns; each row is a word. */
export interface Words {
  /** The word's number in the vocabulary. */
  ids: number[]
  /** Its position in the text in words; the end of a sentence counts as several. */
  indexes: number[]
  starts: number[]
  ends: number[]
  /** The text has invisible characters, or characters that look like others. */
  isOdd: boolean
  /** The text has characters of scripts without spaces. */
  isUnspaced: boolean
}

const nextHash = (hash: number, code: number) => (Math.imul(hash, 31) + code) | 0
const slots = 4096
const slotOf = (hash: number) => (hash ^ (hash >>> 12)) & (slots - 1)

/** Hashes by slot, with the words' numbers from 1; 0 is an empty slot. */
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

/** The number of words plus one. */
export const vocabularySize = groupsOfWord.length

function lookUp(hash: number): number {
  let slot = slotOf(hash)
  for (let number = numbers[slot] ?? 0; number !== 0; number = numbers[slot] ?? 0) {
    if (hashes[slot] === hash) return number
    slot = (slot + 1) & (slots - 1)
  }
  return 0
}

/** How many words the end of a sentence counts as. */
const sentenceGap = 4

/** By code below 592: the letter in lower case, or 0 if it is not a letter. */
const lowered = Uint16Array.from({ length: 0x250 }, (_, code) => {
  const letter = String.fromCharCode(code)
  return /\p{L}/u.test(letter) && code !== 0xaa && code !== 0xba ? letter.toLowerCase().charCodeAt(0) : 0
})

/** A letter of another alphabet in lower case, or 0 if it is not a letter. */
function farLetterOf(code: number): number {
  if (code >= 0x410 && code <= 0x42f) return code + 32
  return code >= 0x2000 ? 0 : code
}

/** Soft hyphens, zero-width and direction marks, full-width letters, mathematical letters, tags. */
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

/** Scans a text once. */
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
