/**
 * Hedging: when a call has not begun to answer after a while, a second one is started; the first successful answer is
 * used and the other call is aborted. A budget limits the extra calls, so that a slow provider does not get every call
 * twice.
 */

import {
  type Answer,
  Canceller,
  type ConfigNode,
  type Hedge,
  HedgeLost,
  hasLost,
  type Ports,
  type Received,
  type Resolved,
  sleep,
} from '@gateway/flow'
import { isLeftOut } from './refusal.ts'

/** Endpoints whose calls have no side effects and can be repeated. */
const hedged: ReadonlySet<string> = new Set(['chatComplete', 'complete', 'embed', 'rerank'])

export const mayHedge = ({ endpoint }: Resolved): boolean => hedged.has(endpoint.id)

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
interface Branch<Phase> {
  exchange: Phase
  canceller: Canceller
  done: Promise<Answer>
}

export interface HedgedCalls<Phase extends Resolved> {
  hedge: Hedge
  /** Creates the exchange of the first call. */
  first(): Phase
  /**
   * Creates the second call's exchange when it is due, and again when that call is refused; null when no target is
   * left.
   */
  second(): Phase | null
  run(exchange: Phase): Promise<Answer>
}

export interface HedgedOutcome<Phase> {
  /** The exchange of the winning answer. */
  winner: Phase
  answer: Answer
  isHedged: boolean
}

/** Runs a call, and a second one in parallel when the first takes too long. Rejects like the winning call. */
export async function runHedged<Phase extends Resolved>(
  ports: Ports<'log' | 'metrics'>,
  exchange: Resolved,
  { node, calls }: { node: ConfigNode; calls: HedgedCalls<Phase> },
): Promise<HedgedOutcome<Phase>> {
  const { hedge } = calls
  const bucket = bucketOf(node)
  bucket.tokens = Math.min(mostTokens, bucket.tokens + hedge.budgetShare)
  const first = start(exchange, calls.first(), calls)
  if (await hasEnded(first, hedge.afterMs)) return outcomeOf(first, false)
  const second =
    exchange.leaving.aborted || !hasToken(ports, bucket) ? null : await startSecond(exchange, first, calls)
  if (second === null) return outcomeOf(first, false)
  bucket.tokens -= 1
  exchange.request.ledger.hedges += 1
  const winner = await firstGood(first, second)
  const loser = winner === first ? second : first
  drop(ports, exchange, loser)
  ports.metrics.hedges.inc({ outcome: winner === second ? 'won' : 'lost' })
  return outcomeOf(winner, true)
}

const outcomeOf = async <Phase>(
  { exchange, done }: Branch<Phase>,
  isHedged: boolean,
): Promise<HedgedOutcome<Phase>> => ({ winner: exchange, answer: await done, isHedged })

function hasToken(ports: Ports<'metrics'>, bucket: { tokens: number }): boolean {
  if (bucket.tokens >= 1) return true
  ports.metrics.hedges.inc({ outcome: 'budget' })
  return false
}

/** The extra call; null when no target is left. Targets that are refused or have an open circuit are skipped. */
async function startSecond<Phase extends Resolved>(
  exchange: Resolved,
  first: Branch<Phase>,
  calls: HedgedCalls<Phase>,
): Promise<Branch<Phase> | null> {
  for (let spare = calls.second(); spare !== null; spare = calls.second()) {
    const { last, sent } = spare.attempt
    spare.attempt = { last, sent, isHedge: true }
    const second = start(exchange, spare, calls)
    const { branch, answer } = await Promise.race([first, second].map((each) => settled(each)))
    if (branch !== second || answer === null || !isLeftOut(answer)) return second
  }
  return null
}

/** Resolves to the call once it has settled; its answer is null if it failed. */
const settled = <Phase>(branch: Branch<Phase>): Promise<{ branch: Branch<Phase>; answer: Answer | null }> =>
  branch.done.then(
    (answer) => ({ branch, answer }),
    () => ({ branch, answer: null }),
  )

/** Runs an exchange that can be aborted separately, and is aborted when the client disconnects. */
function start<Phase extends Resolved>(
  parent: Resolved,
  exchange: Phase,
  { run }: HedgedCalls<Phase>,
): Branch<Phase> {
  const canceller = new Canceller()
  const { leaving } = parent
  const leave = () => canceller.abort(leaving.reason)
  if (leaving.aborted) leave()
  else leaving.listen(leave)
  exchange.leaving = canceller
  return { exchange, canceller, done: run(exchange) }
}

/** Whether a call settled within a time. */
async function hasEnded({ done }: Branch<Received>, waitMs: number): Promise<boolean> {
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
async function firstGood<Phase>(first: Branch<Phase>, second: Branch<Phase>): Promise<Branch<Phase>> {
  const earlier = await Promise.race([settled(first), settled(second)])
  if (isGood(earlier.answer)) return earlier.branch
  const later = await settled(earlier.branch === first ? second : first)
  if (isGood(later.answer)) return later.branch
  const ofFirst = earlier.branch === first ? earlier : later
  const ofSecond = earlier.branch === first ? later : earlier
  return ofFirst.answer !== null || ofSecond.answer === null ? first : second
}

/** Whether an answer is a success: any 2xx status, also with a failed guardrail. */
const isGood = (answer: Answer | null): boolean =>
  answer !== null && !answer.isUnanswered && answer.status >= 200 && answer.status <= 299

/**
 * Ends the losing call; its answer is discarded. A call that is still running is charged as aborted, because its
 * provider has read the prompt.
 */
function drop(
  ports: Ports<'log'>,
  { request: { ledger } }: Resolved,
  { canceller, done }: Branch<Resolved>,
): void {
  canceller.abort(new HedgeLost('Another call answered first.'))
  for (const attempt of ledger.attempts) {
    if (hasLost(attempt) && (attempt.endedAt === 0 || attempt.outcome === 'stream'))
      attempt.outcome = 'aborted'
  }
  done.then(
    ({ stream }) => void stream?.return?.(),
    (error: unknown) => ports.log.debug({ err: error }, 'the slower call of a hedge failed'),
  )
}
