/** The section of `docs/performance.md` about the soak: its last whole run, which `npm run soak -- --record` keeps. */
import { existsSync, readFileSync } from 'node:fs'
import { ROOT } from './paths.ts'

export interface SoakRecord {
  /** ISO 8601. */
  date: string
  minutes: number
  /** Calls a second. */
  rate: number
  /** The sent requests and their errors. */
  summary: string
  checks: readonly { name: string; figure: string; isMet: boolean }[]
}

export const soakFile = `${ROOT}docs/performance/soak.json`

/** The recorded soak; null if none was recorded. */
export const readSoak = (): SoakRecord | null =>
  existsSync(soakFile) ? (JSON.parse(readFileSync(soakFile, 'utf8')) as SoakRecord) : null

export function renderSoak(soak: SoakRecord | null): string[] {
  if (soak === null) return []
  const { date, minutes, rate, summary, checks } = soak
  return [
    '## soak',
    '',
    `${date} · \`npm run soak\`: ${minutes} minutes, ${rate} calls a second as far as the machine keeps up, two replicas over`,
    'Postgres and Redis, the provider breaking off at every byte; checked at the end against its own journal.',
    '',
    summary,
    '',
    '| check | figure | reached |',
    '| --- | --- | --- |',
    ...checks.map(({ name, figure, isMet }) => `| ${name} | ${figure} | ${isMet ? 'yes' : '**no**'} |`),
    '',
  ]
}
