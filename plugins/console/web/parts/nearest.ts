/**
 * Finds the known name that was probably meant, by the number of edits between two texts (Damerau: swapped neighbours
 * count once).
 */

function distance(one: string, other: string): number {
  const width = other.length + 1
  let before: number[] = []
  let row = Array.from({ length: width }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j < width; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[width - 1] ?? 0
}

const longest = 60

/** Null if nothing is similar, that is, if more than a third of the letters differ. */
export function nearest(wanted: string, known: readonly string[]): string | null {
  const text = wanted.toLowerCase().slice(0, longest)
  let best: string | null = null
  let least = Math.floor(text.length / 3) + 1
  for (const name of known) {
    const candidate = name.toLowerCase().slice(0, longest)
    const isInside = text.length > 2 && (candidate.includes(text) || text.includes(candidate))
    const edits = isInside ? Math.min(1, least - 1) : distance(text, candidate)
    if (edits < least) {
      least = edits
      best = name
    }
  }
  return best
}
