/**
 * Hedging: when a call has not begun to answer after a while, a second one is started; the first successful answer is
 * used and the other call is aborted. A budget limits the extra calls, so that a slow provider does not get every call
 * twice.
 */

import { Canceller } from '../flow/cancellation.ts'
import type { ConfigNode, Hedge } from '../flow/config-node.ts'
import type { Exchange } from '../flow/exchange.ts'
import { sleep } from '../shared/sleep.ts'
import { isLeftOut } from './refusal.ts'

/** Endpoints whose calls have no side effects and can be repeated. */
const hedged: ReadonlySet<string> = new Set(['chatComplete', 'complete', 'embed', 'rerank'])

export const mayHedge = ({ endpoint }: Exchange): boolean => endpoint !== null && hedged.has(endpoint.id)

/** The abort reason of the losing call. */
class HedgeLost extends Error {}

/** Whether the exchange's call has lost the race. */
export const hasLost = ({ leaving }: Exchange): boolean => leaving.reason instanceof HedgeLost

const mostTokens = 10

/** The hedge budget of a node in this process: each hedge costs one, and requests refill it. */
const buckets = new WeakMap<ConfigNode, { tokens: number }>()

function bucketOf(node: ConfigNode): { tokens: number } {
  const known = buckets.get(node)
  if (known !== undefined) return known
  const bucket = { tokens: mostTokens }
  buckets.set(node, bucket)
  return bucket
}

/** One call: its own exchange, and its result. */
interface Branch {
  exchange: Exchange
  canceller: Canceller
  done: Promise<void>
}

export interface HedgedCalls {
  hedge: Hedge
  /** The exchange of the first call. */
  first(): Exchange
  /**
   * Creates the second call's exchange when it is due, and again when that call is refused; null when no target is
   * left.
   */
  second(): Exchange | null
  run(exchange: Exchange): Promise<void>
  /** Whether neither a retry nor a fallback would act on the answer of the exchange. */
  isGood(exchange: Exchange): boolean
}

export interface HedgedOutcome {
  /** The exchange with the winning answer. */
  winner: Exchange
  isHedged: boolean
}

/** Runs a call, and a second one in parallel when the first takes too long. Rejects like the winning call. */
export async function runHedged(
  exchange: Exchange,
  node: ConfigNode,
  calls: HedgedCalls,
): Promise<HedgedOutcome> {
  const { hedge } = calls
  const bucket = bucketOf(node)
  bucket.tokens = Math.min(mostTokens, bucket.tokens + hedge.budgetShare)
  const first = start(exchange, calls.first(), calls)
  if (await hasEnded(first, hedge.afterMs)) return { winner: first.exchange, isHedged: false }
  const second =
    exchange.leaving.aborted || !hasToken(exchange, bucket) ? null : await startSecond(exchange, first, calls)
  if (second === null) {
    await first.done
    return { winner: first.exchange, isHedged: false }
  }
  bucket.tokens -= 1
  exchange.ledger.hedges += 1
  const winner = await firstGood(first, second, calls)
  const loser = winner === first ? second : first
  drop(exchange, loser)
  exchange.runtime.metrics.hedges.inc({ outcome: winner === second ? 'won' : 'lost' })
  await winner.done
  return { winner: winner.exchange, isHedged: true }
}

function hasToken({ runtime }: Exchange, bucket: { tokens: number }): boolean {
  if (bucket.tokens >= 1) return true
  runtime.metrics.hedges.inc({ outcome: 'budget' })
  return false
}

/** The extra call; null when no target is left. Targets that are refused or have an open circuit are skipped. */
async function startSecond(exchange: Exchange, first: Branch, calls: HedgedCalls): Promise<Branch | null> {
  for (let spare = calls.second(); spare !== null; spare = calls.second()) {
    spare.isHedge = true
    const second = start(exchange, spare, calls)
    const earlier = await Promise.race([first, second].map((branch) => settled(branch)))
    const { answer } = spare
    if (earlier !== second || answer === null || !isLeftOut(answer)) return second
  }
  return null
}

/** The call itself, once it has settled. */
const settled = (branch: Branch): Promise<Branch> =>
  branch.done.then(
    () => branch,
    () => branch,
  )

/** Runs an exchange that can be aborted separately, and is aborted when the client disconnects. */
function start(parent: Exchange, exchange: Exchange, { run }: HedgedCalls): Branch {
  const canceller = new Canceller()
  const { leaving } = parent
  const leave = () => canceller.abort(leaving.reason)
  if (leaving.aborted) leave()
  else leaving.listen(leave)
  exchange.leaving = canceller
  return { exchange, canceller, done: run(exchange) }
}

/** Whether a call settled within a time. */
async function hasEnded({ done }: Branch, waitMs: number): Promise<boolean> {
  const clock = new AbortController()
  const ended = done.then(
    () => true,
    () => true,
  )
  const isOver = await Promise.race([ended, sleep(waitMs, clock.signal).then(() => false)])
  clock.abort()
  return isOver
}

/** The call whose answer is used: the first success; the one that ended last when both fail. */
async function firstGood(one: Branch, other: Branch, { isGood }: HedgedCalls): Promise<Branch> {
  const judged = (branch: Branch): Promise<{ branch: Branch; good: boolean }> =>
    branch.done.then(
      () => ({ branch, good: isGood(branch.exchange) }),
      () => ({ branch, good: false }),
    )
  const ends = [judged(one), judged(other)]
  const earlier = await Promise.race(ends)
  if (earlier.good) return earlier.branch
  const later = earlier.branch === one ? other : one
  const { good } = await judged(later)
  return good || !hasAnswer(earlier.branch) ? later : earlier.branch
}

const hasAnswer = ({ exchange }: Branch) => exchange.answer !== null

/** Ends the losing call; its answer is discarded. */
function drop({ runtime }: Exchange, { exchange, canceller, done }: Branch): void {
  canceller.abort(new HedgeLost('Another call answered first.'))
  done.then(
    () => void exchange.answer?.stream?.return?.(),
    (error: unknown) => runtime.log.debug({ err: error }, 'the slower call of a hedge failed'),
  )
}
