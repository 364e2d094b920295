/**
 * Hedging: when a call has not begun to answer after a while, a second one is started; the first successful answer is
 * used and the other call is aborted. A budget limits the extra calls, so that a slow provider does not get every call
 * twice.
 */

import { Canceller, type ConfigNode, type Exchange, type Hedge, HedgeLost, hasLost } from '../flow/index.ts'
import { sleep } from '../shared/index.ts'
import { isLeftOut } from './refusal.ts'

/** Endpoints whose calls have no side effects and can be repeated. */
const hedged: ReadonlySet<string> = new Set(['chatComplete', 'complete', 'embed', 'rerank'])

export const mayHedge = ({ endpoint }: Exchange): boolean => endpoint !== null && hedged.has(endpoint.id)

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
  const winner = await firstGood(first, second)
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

/** The call whose answer is used: the first success; the first call when both fail. */
async function firstGood(first: Branch, second: Branch): Promise<Branch> {
  const judged = (branch: Branch): Promise<{ branch: Branch; good: boolean }> =>
    settled(branch).then(() => ({ branch, good: isGood(branch.exchange) }))
  const earlier = await Promise.race([judged(first), judged(second)])
  if (earlier.good) return earlier.branch
  const later = earlier.branch === first ? second : first
  if ((await judged(later)).good) return later
  return hasAnswer(first) || !hasAnswer(second) ? first : second
}

/** Any 2xx; a success with a failed guardrail is one. */
const isGood = ({ answer }: Exchange): boolean =>
  answer !== null && !answer.isUnanswered && answer.status >= 200 && answer.status <= 299

const hasAnswer = ({ exchange }: Branch) => exchange.answer !== null

/**
 * Ends the losing call; its answer is discarded. A call that is still running is charged as aborted, because its
 * provider has read the prompt.
 */
function drop({ runtime, ledger }: Exchange, { exchange, canceller, done }: Branch): void {
  canceller.abort(new HedgeLost('Another call answered first.'))
  for (const attempt of ledger.attempts) {
    if (hasLost(attempt) && (attempt.endedAt === 0 || attempt.outcome === 'stream'))
      attempt.outcome = 'aborted'
  }
  done.then(
    () => void exchange.answer?.stream?.return?.(),
    (error: unknown) => runtime.log.debug({ err: error }, 'the slower call of a hedge failed'),
  )
}
