/** Prepares a pair before it starts: its request and its reservation in the budget. */
import type { LogEntry } from '@gateway/contract'
import { readSide } from '../compare/side.ts'
import type { StoredPair } from '../entities.ts'
import { type ReplayRequest, requestOf } from '../request-of.ts'
import { needOf } from './planned-cost.ts'
import { candidateOf, judgeNeed, type PairParts, questionOf, uncompared } from './run-pair.ts'
import { embeddingOf } from './similarity.ts'

export interface PairNeed {
  request: ReplayRequest
  /** The reserved amount, in US cents. */
  cents: number
  judgeCents: number
  isCompared: boolean
}

/** Returns the plan, or the stored result of a pair that cannot run. */
export async function planPair(
  { calls, replay, engine }: Pick<PairParts, 'calls' | 'replay' | 'engine'>,
  entry: LogEntry,
  position: number,
): Promise<StoredPair | PairNeed> {
  const request = requestOf(entry)
  if (typeof request === 'string') return uncompared(entry, 'skipped', request)
  const hasModel = engine.context.embeddingModel() !== null
  if (replay.data.budget === null) return { request, cents: 0, judgeCents: 0, isCompared: hasModel }
  const { req_units: input = 0, res_units: output = 0 } = entry.fields
  const plan = await calls.plan(candidateOf(calls, request, position), {
    input: input ?? 0,
    output: output ?? 0,
  })
  // A request that is refused before any target is called costs nothing.
  const own = plan.faults.length > 0 ? 0 : needOf(plan)
  if (own === null) return uncompared(entry, 'failed', 'unknown_price')
  const { answer } = await readSide(entry, null)
  const text = answer?.text ?? ''
  // The candidate's answer is assumed to be as long as the baseline's.
  const question = questionOf({ position, request }, text, text)
  const { judge } = replay.data
  const judgeCents =
    question === null || judge === null
      ? 0
      : await judgeNeed(calls, { ...question, criteria: judge.criteria })
  if (judgeCents === null) return uncompared(entry, 'failed', 'unknown_price')
  const model = engine.context.embeddingModel()
  const embedded =
    question === null || model === null ? 0 : needOf(await calls.plan(embeddingOf(model, question)))
  return {
    request,
    cents: own + judgeCents + (embedded ?? 0),
    judgeCents,
    isCompared: embedded !== null,
  }
}
