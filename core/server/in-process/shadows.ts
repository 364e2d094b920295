/**
 * Shadows: requests that run against another config after their answer has been sent. A busy process drops them before
 * any other work: only a few run and wait at a time, and each one, and its comparison, starts in a quiet moment of the
 * event loop. Without a quiet moment, all waiting shadows are dropped. They are charged to the workspace, not to the
 * caller, and a stopping gateway waits for the running ones.
 */
import { type Counters, faultReason, isGatewayError, type LogEntry } from '@gateway/contract'
import type { Ended, Runtime, ShadowDraw } from '@gateway/flow'
import { createQuietMoments } from './quiet-moments.ts'
import { createBudgetCleaner, shadowBudget } from './shadow-budget.ts'
import { callOf, runShadow, type ShadowedCall } from './shadow-run.ts'

const mostRunning = 8
const mostWaiting = 100
/** The limit for waiting bodies, including those in their log entries. */
const mostWaitingChars = 16 * 1_048_576
/** A shadow gets memory only if a caller could still have this many times as much. */
const spareMemory = 8
type Outcome = Awaited<ReturnType<typeof runShadow>> | 'dropped'

interface Waiting {
  call: ShadowedCall
  chars: number
}

/** Also has all of the process's counters, from which the budgets of past days are removed. */
type ShadowRuntime = Runtime & { readonly store: { readonly counters: Counters } }

/** @param runtimeOf the process's runtime, once it is open */
export function createShadows(runtimeOf: () => ShadowRuntime): Runtime['shadows'] {
  const waiting: Waiting[] = []
  let waitingChars = 0
  let running = 0
  let isPlanning = false
  const moments = createQuietMoments()
  const cleanBudget = createBudgetCleaner()

  function add(asked: Ended, draw: ShadowDraw, entry: LogEntry): void {
    const runtime = runtimeOf()
    const isDropped = moments.isUnderLoad() || isStopping(runtime) || waiting.length >= mostWaiting
    const call = isDropped ? null : callOf(asked, draw, entry)
    const chars = call === null ? 0 : call.text.length + bodyChars(entry)
    if (call === null || waitingChars + chars > mostWaitingChars || !hasRoom(runtime, chars * spareMemory)) {
      runtime.metrics.shadows.inc({ outcome: 'dropped' })
      return
    }
    waitingChars += chars
    runtime.inFlight.begin()
    waiting.push({ call, chars })
    void begin(runtime)
  }

  async function begin(runtime: ShadowRuntime): Promise<void> {
    if (isPlanning) return
    isPlanning = true
    while (waiting.length > 0 && running < mostRunning) {
      if (await moments.next()) void runNext(runtime)
      else while (waiting.length > 0) end(runtime, takeNext(), 'dropped')
    }
    isPlanning = false
  }

  function takeNext(): Waiting | undefined {
    const next = waiting.shift()
    waitingChars -= next?.chars ?? 0
    return next
  }

  function end(runtime: ShadowRuntime, ended: Waiting | undefined, outcome: Outcome): void {
    runtime.metrics.shadows.inc({ outcome })
    if (ended !== undefined) runtime.inFlight.end()
  }

  async function runNext(runtime: ShadowRuntime): Promise<void> {
    const next = takeNext()
    if (next === undefined) return
    running += 1
    const outcome = await outcomeOf(runtime, next.call)
    running -= 1
    end(runtime, next, outcome)
    void begin(runtime)
  }

  /** Never rejects. */
  async function outcomeOf(runtime: ShadowRuntime, call: ShadowedCall): Promise<Outcome> {
    if (isStopping(runtime)) return 'dropped'
    try {
      const { caller, config, shadow } = call
      const budget = shadowBudget(shadow, { config, workspaceId: caller.identity.workspaceId })
      if (budget !== undefined) cleanBudget(runtime.store.counters, budget, Date.now())
      return await runShadow(runtime, call, { budget, moments })
    } catch (error) {
      const reason = isGatewayError(error)
        ? faultReason(error)
        : error instanceof Error
          ? error.name
          : 'error'
      runtime.log.warn({ trace_id: call.traceId, path: call.shadow.path, reason }, 'a shadow failed')
      return 'failed'
    }
  }

  return {
    start(asked, entry) {
      const { answer } = asked
      const { record } = asked.request
      if (record.shadows === null || !isComplete(asked)) return
      // Each attempt below a node with a shadow records the shadow, so one attempt per shadow is kept.
      const draws = new Map(record.shadows.map((draw) => [draw.shadow, draw]))
      for (const draw of draws.values())
        if (isBelow(answer?.index ?? '', draw.shadow.path)) add(asked, draw, entry)
    },
  }
}

const isStopping = (runtime: Runtime) => runtime.isDraining || runtime.isStopping

/** Whether the caller has received a successful answer up to its last byte. */
const isComplete = ({ transport, request: { record } }: Ended): boolean =>
  record.sentStatus !== null &&
  record.sentStatus >= 200 &&
  record.sentStatus <= 299 &&
  record.streamError === null &&
  !transport.isClosed()

const isBelow = (path: string, node: string) => path === node || path.startsWith(`${node}.`)

const bodyChars = ({ bodies }: LogEntry): number =>
  bodies === null
    ? 0
    : Object.values(bodies).reduce((sum, text: string | null) => sum + (text?.length ?? 0), 0)

function hasRoom({ buffers }: Runtime, bytes: number): boolean {
  const isFree = buffers.take(bytes)
  if (isFree) buffers.giveBack(bytes)
  return isFree
}
