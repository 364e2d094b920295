/** The command line of the soak. */

export interface SoakOptions {
  minutes: number
  /** Requests a second, over all kinds. */
  rate: number
  /** Whether the figures are kept in docs/performance. */
  isRecorded: boolean
}

export const USAGE = `npm run soak [-- --minutes N | --long] [--rate N] [--record]
  --minutes N  how long traffic runs (default 30)
  --long       three hours
  --rate N     requests a second (default 40)
  --record     keeps the figures in docs/performance/soak.json and writes docs/performance.md`

const defaults: SoakOptions = { minutes: 30, rate: 40, isRecorded: false }
const longMinutes = 180

/** Null for a command line that cannot be read. */
export function readOptions(args: readonly string[]): SoakOptions | null {
  const options = { ...defaults }
  for (let index = 0; index < args.length; index += 1) {
    const name = args[index]
    if (name === '--long') options.minutes = longMinutes
    else if (name === '--record') options.isRecorded = true
    else if (name === '--minutes' || name === '--rate') {
      index += 1
      const value = Number(args[index])
      if (!Number.isFinite(value) || value <= 0) return null
      options[name === '--minutes' ? 'minutes' : 'rate'] = value
    } else return null
  }
  return options
}
