/** Estimates the effects and the cost of replaying a sample before it starts. */
import type { Fault } from '@gateway/contract'
import { readSide } from './compare/side.ts'
import type { ReplayEngine } from './engine.ts'
import type { ReplayCounts } from './entities.ts'
import { requestOf } from './request-of.ts'
import type { Calls } from './run/calls.ts'
import { needOf } from './run/planned-cost.ts'
import { candidateOf, judgeNeed, questionOf } from './run/run-pair.ts'

export interface Survey {
  counts: ReplayCounts
  /** Errors of the requests, if all of them would be refused before a target is called. */
  faults: readonly Fault[]
  /** Models without a price. */
  unpriced: ReadonlySet<string>
  /** US cents; null if a price is unknown. */
  cost: number | null
  reserved: number | null
  /** The number of the baseline's tokens. */
  tokens: number
}

export interface SurveyOptions {
  engine: ReplayEngine
  calls: Calls
  ids: readonly string[]
  criteria: string | null
  /** The maximum number of requests that are priced. The others are assumed to cost as much. */
  mostPlanned: number
  /** The maximum number of entries that are read. */
  mostRead: number
}

const readAtOnce = 50

export async function surveySample(options: SurveyOptions): Promise<Survey> {
  const { engine, calls, ids, criteria, mostPlanned, mostRead } = options
  const counts = { total: ids.length, completed: 0, failed: 0, skipped: 0, redacted: 0 }
  const unpriced = new Set<string>()
  let faults: readonly Fault[] = []
  let sums: { cost: number; reserved: number } | null = { cost: 0, reserved: 0 }
  let [planned, refused, runnable, tokens] = [0, 0, 0, 0]
  const read = ids.slice(0, mostRead)
  for (let begin = 0; begin < read.length; begin += readAtOnce) {
    for (const entry of await engine.context.logEntries.read(read.slice(begin, begin + readAtOnce))) {
      const request = requestOf(entry)
      if (typeof request === 'string') {
        counts.skipped += 1
        continue
      }
      runnable += 1
      if (request.isRedacted) counts.redacted += 1
      const taken = { input: entry.fields.req_units ?? 0, output: entry.fields.res_units ?? 0 }
      tokens += taken.input + taken.output
      if (planned >= mostPlanned) continue
      planned += 1
      const plan = await calls.plan(candidateOf(calls, request, 0), taken)
      for (const model of plan.unpriced) unpriced.add(model)
      if (plan.faults.length > 0) {
        refused += 1
        faults = plan.faults
        continue
      }
      const judged = await judgedCents(calls, criteria, {
        pair: { position: 0, request },
        text: await textOf(entry),
      })
      const reserved = needOf(plan)
      if (reserved === null || judged === null || plan.centsOfTokens === null) sums = null
      else if (sums !== null) {
        sums.cost += plan.centsOfTokens + judged
        sums.reserved += reserved + judged
      }
    }
  }
  const share = planned === 0 ? 0 : runnable / planned
  return {
    counts,
    faults: refused === planned ? faults : [],
    unpriced,
    cost: sums === null ? null : sums.cost * share,
    reserved: sums === null ? null : sums.reserved * share,
    tokens,
  }
}

const textOf = async (entry: Parameters<typeof readSide>[0]): Promise<string> =>
  (await readSide(entry, null)).answer?.text ?? ''

async function judgedCents(
  calls: Calls,
  criteria: string | null,
  { pair, text }: { pair: Parameters<typeof questionOf>[0]; text: string },
): Promise<number | null> {
  const question = criteria === null ? null : questionOf(pair, text, text)
  return question === null || criteria === null ? 0 : judgeNeed(calls, { ...question, criteria })
}
