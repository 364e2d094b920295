/** The estimate and the report of a replay as text. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { table } from './table.ts'

const numberIn = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null)

const dollars = (cents: number | null): string =>
  cents === null ? 'unknown' : `$${(cents / 100).toFixed(4)}`

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export function describeEstimate({ valid, errors, counts, estimate }: JsonObject): string {
  const { total, skipped, redacted } = objectIn(counts)
  const { cost, reserved, tokens } = objectIn(estimate)
  const faults = (Array.isArray(errors) ? errors : []).filter(isObject)
  return [
    `${String(total)} requests drawn, ${String(skipped)} cannot be replayed, ${String(redacted)} are redacted.`,
    ...(valid === true
      ? [
          `Estimated cost ${dollars(numberIn(cost))} for ${String(tokens)} tokens; ` +
            `at most ${dollars(numberIn(reserved))} by the limits of the requests.`,
        ]
      : faults.map(({ message }) => `Not possible: ${String(message)}`)),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

export function describeReport(replay: JsonObject): string {
  const { id, status, counts, cost, error, baseline, candidate, judge, diff } = replay
  const { total, completed, failed, skipped, redacted } = objectIn(counts)
  const head = [
    `Replay ${String(id)} ${String(status)}: ${String(completed)} of ${String(total)} compared, ${String(failed)} failed,`,
    `${String(skipped)} skipped, ${String(redacted)} redacted. Cost ${dollars(numberIn(cost))}.`,
  ].join(' ')
  const rows = Object.entries(objectIn(diff)).flatMap(([name, one]) =>
    isObject(one)
      ? [rowOf(name, { estimate: one, baseline: objectIn(baseline), candidate: objectIn(candidate) })]
      : [],
  )
  const lines = [head, ...(typeof error === 'string' ? [error] : [])]
  if (isObject(judge))
    lines.push(
      `Judge: candidate ${String(judge.candidate_wins)}, ties ${String(judge.ties)}, baseline ` +
        `${String(judge.baseline_wins)}; the order changed ${percent(judge.disagreement_rate)} of its verdicts.`,
    )
  const columns = [
    'MEASURE',
    'BASELINE',
    'CANDIDATE',
    'DIFFERENCE',
    '95 % INTERVAL',
    'VERDICT',
    'N',
    'N NEEDED',
  ]
  return `${lines.join('\n')}\n\n${table(columns, rows)}`
}

interface RowOptions {
  estimate: JsonObject
  baseline: JsonObject
  candidate: JsonObject
}

function rowOf(name: string, { estimate, baseline, candidate }: RowOptions): string[] {
  const { mean, ci95, verdict, n, n_needed: needed } = estimate
  const [low, high] = Array.isArray(ci95) ? ci95 : []
  return [
    name,
    shown(sideOf(name, baseline)),
    shown(sideOf(name, candidate)),
    shown(mean),
    `${shown(low)} … ${shown(high)}`,
    typeof verdict === 'string' ? verdict : '-',
    String(n),
    needed === null || needed === undefined ? '-' : String(needed),
  ]
}

/** The measure of one side; undefined for measures of pairs. */
function sideOf(name: string, side: JsonObject): Json | undefined {
  const requests = numberIn(side.requests) ?? 0
  const percentile = /^(\w+)_(p\d+)_ms$/.exec(name)
  if (percentile !== null) return objectIn(side[`${percentile[1]}_ms`])[percentile[2] ?? '']
  const value = side[name]
  if (isObject(value)) return value.mean
  const isSum = name === 'cost' || name.endsWith('_tokens')
  return isSum && typeof value === 'number' && requests > 0 ? value / requests : value
}

function shown(value: Json | undefined): string {
  if (typeof value !== 'number') return '-'
  if (value === 0 || Math.abs(value) >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

const percent = (share: Json | undefined): string => `${Math.round((numberIn(share) ?? 0) * 100)} %`
