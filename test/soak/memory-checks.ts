/** The memory requirements of the soak. */
import type { Check } from './checks.ts'
import type { Growth } from './memory.ts'

/** Less than the limit of 1 MB, because a leak of 1 MB must be visible in the noise. */
export const mostKeptMbIn10Minutes = 0.75
/** For leaks of native modules: V8 and the allocator return pages late, and move this by megabytes. */
const mostResidentMbIn10Minutes = 5

interface Ran {
  peakMb: number
  minutes: number
}

/** In a soak this long, a replica runs long enough after its restart: growth without a figure was not measured. */
const tellingMinutes = 28

/** @param growth null when it ran too short to tell */
export function memoryChecks(growth: Growth | null, { peakMb, minutes }: Ran): Check[] {
  const isTelling = minutes >= tellingMinutes
  const unknown = isTelling ? 'not measured' : 'too short to tell'
  const demands: [what: string, measure: keyof Growth, most: number, beside: string][] = [
    [
      'objects and buffers that a collection leaves grow',
      'kept',
      mostKeptMbIn10Minutes,
      growth === null ? '' : `, and compiled code ${megabytes(growth.code)}`,
    ],
    ['resident memory grows', 'resident', mostResidentMbIn10Minutes, `, peak ${Math.round(peakMb)} MB`],
  ]
  return demands.map(([what, measure, most, beside]) => ({
    name: `${what} by at most ${most} MB in 10 minutes, from minute 15 on`,
    figure: `${growth === null ? unknown : megabytes(growth[measure])}${beside}`,
    isMet: growth === null ? !isTelling : growth[measure] <= most,
  }))
}

const megabytes = (count: number) => `${count.toFixed(2)} MB`
