/** What the soak demands of memory. */
import type { Check } from './checks.ts'
import type { Growth } from './memory.ts'

/** Less than the 1 MB that is wanted, so that a leak of 1 MB is seen beside the noise. */
export const mostKeptMbIn10Minutes = 0.75
/** Pages that V8 and the allocator return late move these by megabytes. */
const mostResidentMbIn10Minutes = 4

/** @param growth null when it ran too short to tell */
export function memoryChecks(growth: Growth | null, peakMb: number): Check[] {
  const demands: [what: string, measure: keyof Growth, most: number][] = [
    ['objects and buffers in use after a collection grow', 'kept', mostKeptMbIn10Minutes],
    ['resident memory grows', 'resident', mostResidentMbIn10Minutes],
  ]
  const beside =
    growth === null
      ? ''
      : `, compiled code ${growth.code.toFixed(2)} MB, outside the heap ${growth.outside.toFixed(2)} MB`
  return demands.map(([what, measure, most]) => ({
    name: `${what} by at most ${most} MB in 10 minutes, from minute 15 on`,
    figure: [
      growth === null ? 'too short to tell' : `${growth[measure].toFixed(2)} MB`,
      measure === 'resident' ? `${beside}, peak ${Math.round(peakMb)} MB` : '',
    ].join(''),
    isMet: growth === null || growth[measure] <= most,
  }))
}
