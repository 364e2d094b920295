/** A detector's finding: a category and a position in UTF-16 units. Detectors take linear time. */

export interface Finding {
  category: string
  start: number
  end: number
}

/** Finds pieces that do not overlap, in order of position. */
export type Detect = (text: string) => Finding[]

/** A kind of data that is found. */
export interface Category {
  id: string
  /** Its description, for the documentation. */
  title: string
}

/** Adds the findings that do not overlap with the taken ones. Both lists and the result are in order. */
export function addFree(taken: readonly Finding[], found: readonly Finding[]): Finding[] {
  if (taken.length === 0) return [...found]
  const all: Finding[] = []
  let next = 0
  for (const finding of found) {
    for (let known = taken[next]; known !== undefined && known.end <= finding.start; known = taken[++next])
      all.push(known)
    const known = taken[next]
    if (known === undefined || finding.end <= known.start) all.push(finding)
  }
  return [...all, ...taken.slice(next)]
}

/** Returns a function that tells, for increasing positions, whether they are inside a finding. */
export function createCover(findings: readonly Finding[]): (position: number) => boolean {
  let next = 0
  return (position) => {
    for (let known = findings[next]; known !== undefined && known.end <= position; ) known = findings[++next]
    const known = findings[next]
    return known !== undefined && known.start <= position
  }
}
