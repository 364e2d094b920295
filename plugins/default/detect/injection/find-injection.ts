/**
 * Searches for prompt injection with rules: phrases in several languages, prompt delimiters, and hidden text. Rules
 * recognise common attempts; new wordings pass.
 */

import { findPhrases } from './find-phrases.ts'
import { findEncoded, plainOf } from './hidden.ts'
import type { Hit } from './hit.ts'
import { findMarkers } from './markers.ts'
import { findUnspaced } from './unspaced.ts'
import { readWords } from './words.ts'

/** The rules that match a text, and their positions. */
export function findInjection(text: string): Hit[] {
  const words = readWords(text)
  const hits = [...findPhrases(words), ...findMarkers(text), ...(words.isUnspaced ? findUnspaced(text) : [])]
  if (words.isOdd) hits.push(...findUnseen(text, hits))
  for (const { text: decoded, start, end } of findEncoded(text)) {
    const weight = findPhrases(readWords(decoded)).reduce((most, hit) => Math.max(most, hit.weight), 0)
    if (weight > 0) hits.push({ id: 'encoded.base64', weight: Math.min(1, weight + 0.1), start, end })
  }
  return hits
}

/** Rules that match the text as displayed but not its raw form. */
function findUnseen(text: string, seen: readonly Hit[]): Hit[] {
  const plain = plainOf(text)
  const place = (hit: Hit): Hit => ({
    ...hit,
    start: plain.offsets[hit.start] ?? 0,
    end: plain.offsets[hit.end] ?? text.length,
  })
  const known = new Set(seen.map(({ id }) => id))
  const found = [...findPhrases(readWords(plain.text)), ...findMarkers(plain.text)]
    .filter(({ id }) => !known.has(id))
    .map(place)
  const tags: Hit[] =
    plain.invisible >= 4 ? [{ id: 'hidden.tags', weight: 0.7, start: 0, end: text.length }] : []
  return [...found, ...tags]
}
