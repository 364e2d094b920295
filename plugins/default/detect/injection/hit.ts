/** A rule that matches at a place of a text. */
export interface Hit {
  /** Kind and name of the rule: `override.previous_instructions`. */
  id: string
  /** Its confidence, from 0 to 1. */
  weight: number
  start: number
  end: number
}

/** Weights of rules that match within this distance are combined. */
const nearChars = 2000

/** The combined confidence of the hits: the probability that not all of them are wrong, where they are densest. */
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
