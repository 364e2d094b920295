/** A rule that applies at a place of a text. */
export interface Hit {
  /** Kind and name of the rule: `override.previous_instructions`. */
  id: string
  /** How sure it makes, from 0 to 1. */
  weight: number
  start: number
  end: number
}

/** Rules that apply near each other add to each other; those that are further apart do not. */
const nearChars = 2000

/** How sure the hits make together: the chance that not all of them are wrong, where they lie closest. */
export function scoreOf(hits: readonly Hit[]): number {
  const sorted = hits.toSorted((left, right) => left.start - right.start)
  let best = 0
  for (const [first, { start }] of sorted.entries()) {
    const weights = new Map<string, number>()
    for (let at = first; at < sorted.length; at++) {
      const hit = sorted[at]
      if (hit === undefined || hit.start - start > nearChars) break
      weights.set(hit.id, Math.max(weights.get(hit.id) ?? 0, hit.weight))
    }
    const doubt = [...weights.values()].reduce((product, weight) => product * (1 - weight), 1)
    best = Math.max(best, 1 - doubt)
  }
  return best
}
