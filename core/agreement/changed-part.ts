/** Finds the part in which two lists of words differ, with one common word on each side. */
export function changedPart(
  one: readonly string[],
  other: readonly string[],
): [readonly string[], readonly string[]] {
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  while (begin < shorter && one[begin] === other[begin]) begin += 1
  let end = 0
  while (end < shorter - begin && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1
  const partOf = (words: readonly string[]) => words.slice(Math.max(0, begin - 1), words.length - end + 1)
  return [partOf(one), partOf(other)]
}
