/**
 * Searches a long text in chunks, each in its own turn of the event loop. A match begins in its chunk and is examined
 * with its surrounding text. A short text is one chunk.
 */
import type { Turns } from '@gateway/contract'

/** One to a few milliseconds of work. */
export const chunkChars = 131_072
/** A word that explains a number is at most this far before it. */
const beforeChars = 1024
/** The longest match: a private key. */
const behindChars = 32_768

interface Span {
  start: number
  end: number
}

export function* findInChunks<Found extends Span>(
  find: (text: string) => readonly Found[],
  text: string,
): Turns<readonly Found[]> {
  if (text.length <= chunkChars) return find(text)
  const all: Found[] = []
  for (let start = 0; start < text.length; start += chunkChars) {
    const from = Math.max(0, start - beforeChars)
    const end = start + chunkChars
    for (const found of find(text.slice(from, end + behindChars))) {
      const moved = { ...found, start: found.start + from, end: found.end + from }
      if (moved.start >= start && moved.start < end) all.push(moved)
    }
    yield
  }
  return all
}
