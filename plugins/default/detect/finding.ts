/** What detectors find: a category, and where it stands, in UTF-16 units. Detectors take linear time. */

export interface Finding {
  category: string
  start: number
  end: number
}

/** Finds pieces that do not overlap, in the order in which they stand. */
export type Detect = (text: string) => Finding[]

/** A kind of thing that is found. */
export interface Category {
  id: string
  /** What it is, for the documentation. */
  title: string
}

/** Adds to what was taken the findings that do not reach into it; both lists, and the result, are in order. */
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

/** Says, for rising positions, whether they lie in one of the findings. */
export function createCover(findings: readonly Finding[]): (position: number) => boolean {
  let next = 0
  return (position) => {
    for (let known = findings[next]; known !== undefined && known.end <= position; ) known = findings[++next]
    const known = findings[next]
    return known !== undefined && known.start <= position
  }
}
