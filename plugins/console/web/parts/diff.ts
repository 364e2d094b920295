/** Finds the removed, added and unchanged lines of two texts by their longest common subsequence. */

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Longer texts are compared as a whole instead of line by line. */
const maxLines = 1_500

export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split('\n')
  const next = after.split('\n')
  const removed = (text: string): DiffLine => ({ kind: 'removed', text })
  const added = (text: string): DiffLine => ({ kind: 'added', text })
  if (old.length > maxLines || next.length > maxLines) {
    return before === after
      ? old.map((text) => ({ kind: 'same', text }))
      : [...old.map(removed), ...next.map(added)]
  }
  const width = next.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === next[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' })
      i++
      j++
    } else if (
      j >= next.length ||
      (i < old.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(old[i++] ?? ''))
    } else lines.push(added(next[j++] ?? ''))
  }
  return lines
}
