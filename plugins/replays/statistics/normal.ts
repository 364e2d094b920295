/** The parts of the normal distribution and Student's t distribution that intervals need. */

/** The z value with 97.5 % of the normal distribution below it. */
export const z95 = 1.959964
/** The z value with 80 % below it, the power for which sample sizes are computed. */
export const z80 = 0.841621

/** The share of the normal distribution below z (Abramowitz and Stegun 7.1.26; error below 1e-7). */
export function normalShare(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = (polynomial * Math.exp(-x * x)) / 2
  return z > 0 ? 1 - tail : tail
}

/** The t value with 97.5 % of Student's distribution below it (Abramowitz and Stegun 26.7.5). */
export function t95(degrees: number): number {
  const z = z95
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ]
  return terms.reduce((sum, term, index) => sum + term / degrees ** (index + 1), z)
}
