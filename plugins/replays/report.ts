/**
 * The report of a replay: both sides in numbers, and the paired differences with their intervals. Rates range from 0 to
 * 1, costs are US cents, times are milliseconds.
 */
import { type JsonObject, runInTurns, type Turns } from '@gateway/contract'
import { truncatedFinishes } from './compare/answers.ts'
import type { Side } from './compare/side.ts'
import type { StoredPair } from './entities.ts'
import { type Estimate, estimateMean, estimatePercentile, percentile } from './statistics/bootstrap.ts'
import { type Better, presentEstimate, rounded } from './statistics/verdict.ts'

/** A completed pair. */
interface Pair extends StoredPair {
  baseline: Side
  candidate: Side
}

type Read = (side: Side) => number | null

/** Reads a value only from successful answers; errors and denials have their own rates. */
const ofAnswer =
  (read: Read): Read =>
  (side) =>
    side.is_error || side.is_denied ? null : read(side)

const flag = (value: boolean | null): number | null => (value === null ? null : value ? 1 : 0)

const latency = ofAnswer(({ latency_ms }) => latency_ms)
const firstToken = ofAnswer(({ first_token_ms }) => first_token_ms)
const length = ofAnswer(({ length: characters }) => characters)
const truncated = ofAnswer(({ finish }) => (finish === null ? null : flag(truncatedFinishes.has(finish))))

interface Difference {
  read: Read
  better: Better
  /** The percentile to compare instead of the mean. */
  share?: number
}

/** The measures of both sides: `diff.NAME` is the candidate's minus the baseline's. */
const differences: Readonly<Record<string, Difference>> = {
  cost: { read: ({ cost }) => cost, better: 'lower' },
  input_tokens: { read: ofAnswer(({ input_tokens }) => input_tokens), better: null },
  output_tokens: { read: ofAnswer(({ output_tokens }) => output_tokens), better: null },
  latency_ms: { read: latency, better: 'lower' },
  latency_p50_ms: { read: latency, better: 'lower', share: 0.5 },
  latency_p95_ms: { read: latency, better: 'lower', share: 0.95 },
  first_token_ms: { read: firstToken, better: 'lower' },
  error_rate: { read: ({ is_error }) => flag(is_error), better: 'lower' },
  denial_rate: { read: ({ is_denied }) => flag(is_denied), better: 'lower' },
  refusal_rate: { read: ofAnswer(({ is_refusal }) => flag(is_refusal)), better: 'lower' },
  truncation_rate: { read: truncated, better: 'lower' },
  length: { read: length, better: null },
  json_valid_rate: { read: ofAnswer(({ is_valid_json }) => flag(is_valid_json)), better: 'higher' },
}

const judgeScore = { candidate: 1, tie: 0, baseline: -1 } as const

interface Agreement {
  read(pair: Pair): number | null
  better: Better
  isDifference: boolean
}

/** Measures of pairs: shares of pairs that agree, and the judge's score from -1 to 1. */
const agreements: Readonly<Record<string, Agreement>> = {
  same_tool_rate: { read: ({ match }) => flag(match?.same_tool ?? null), better: null, isDifference: false },
  same_arguments_rate: {
    read: ({ match }) => flag(match?.same_arguments ?? null),
    better: null,
    isDifference: false,
  },
  same_finish_rate: {
    read: ({ baseline, candidate }) =>
      baseline.finish === null || candidate.finish === null
        ? null
        : flag(baseline.finish === candidate.finish),
    better: null,
    isDifference: false,
  },
  similarity: { read: ({ match }) => match?.similarity ?? null, better: null, isDifference: false },
  judge: {
    read: ({ judge }) => (judge === null ? null : judgeScore[judge.winner]),
    better: 'higher',
    isDifference: true,
  },
}

export const diffNames: readonly string[] = [...Object.keys(differences), ...Object.keys(agreements)]

export interface Report extends JsonObject {
  baseline: JsonObject
  candidate: JsonObject
  judge: JsonObject | null
  diff: JsonObject
}

/** Computes the report in turns, between which other work can run. @param signal aborts the computation */
export async function reportOf(
  stored: readonly StoredPair[],
  seed: number,
  signal: AbortSignal,
): Promise<Report> {
  const pairs = stored.flatMap((pair): Pair[] =>
    pair.outcome === 'completed' && pair.baseline !== null && pair.candidate !== null
      ? [{ ...pair, baseline: pair.baseline, candidate: pair.candidate }]
      : [],
  )
  return {
    baseline: summaryOf(pairs.map(({ baseline }) => baseline)),
    candidate: summaryOf(pairs.map(({ candidate }) => candidate)),
    judge: judgesOf(pairs),
    diff: await runInTurns(diffOf(pairs, seed), { signal }),
  }
}

function* diffOf(pairs: readonly Pair[], seed: number): Turns<JsonObject> {
  const diff: JsonObject = {}
  for (const [name, difference] of Object.entries(differences)) {
    const estimate = yield* estimateOf(pairs, difference, seed)
    diff[name] = presentEstimate(estimate, { better: difference.better, isDifference: true })
    yield
  }
  for (const [name, { read, ...judged }] of Object.entries(agreements)) {
    diff[name] = presentEstimate(yield* estimateMean(measured(pairs.map(read)), seed), judged)
    yield
  }
  return diff
}

function* estimateOf(
  pairs: readonly Pair[],
  { read, share }: Difference,
  seed: number,
): Turns<Estimate | null> {
  const both = pairs.flatMap(({ baseline, candidate }): (readonly [number, number])[] => {
    const [one, other] = [read(baseline), read(candidate)]
    return one === null || other === null ? [] : [[one, other]]
  })
  if (share !== undefined) return yield* estimatePercentile(both, share, seed)
  return yield* estimateMean(
    both.map(([one, other]) => other - one),
    seed,
  )
}

const measured = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = measured(values)
  return known.length === 0 ? null : rounded(sumOf(known) / known.length)
}

function summaryOf(sides: readonly Side[]): JsonObject {
  const read = (reader: Read) => measured(sides.map(reader))
  const finishes: Record<string, number> = {}
  for (const { finish } of sides) if (finish !== null) finishes[finish] = (finishes[finish] ?? 0) + 1
  const costs = read(({ cost }) => cost)
  return {
    requests: sides.length,
    cost: rounded(sumOf(costs)),
    cost_known: costs.length === sides.length,
    input_tokens: sumOf(sides.map(({ input_tokens }) => input_tokens)),
    output_tokens: sumOf(sides.map(({ output_tokens }) => output_tokens)),
    latency_ms: spreadOf(read(latency)),
    first_token_ms: spreadOf(read(firstToken)),
    length: spreadOf(read(length)),
    ...Object.fromEntries(
      ['error_rate', 'denial_rate', 'refusal_rate', 'truncation_rate', 'json_valid_rate'].map((name) => [
        name,
        meanOf(sides.map((side) => differences[name]?.read(side) ?? null)),
      ]),
    ),
    finish_reasons: finishes,
  }
}

/** Null without values. */
function spreadOf(values: readonly number[]): JsonObject | null {
  if (values.length === 0) return null
  return {
    mean: meanOf(values),
    ...Object.fromEntries([50, 90, 95, 99].map((share) => [`p${share}`, percentile(values, share / 100)])),
  }
}

/** The judge's verdicts, and how often they changed with the order of the answers; null without verdicts. */
function judgesOf(pairs: readonly Pair[]): JsonObject | null {
  const given = pairs.flatMap(({ judge }) => judge ?? [])
  if (given.length === 0) return null
  const count = (wanted: string) => given.filter(({ winner }) => winner === wanted).length
  return {
    pairs: given.length,
    candidate_wins: count('candidate'),
    ties: count('tie'),
    baseline_wins: count('baseline'),
    disagreement_rate: meanOf(given.map(({ agreed }) => flag(!agreed))),
  }
}
