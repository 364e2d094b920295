/**
 * Numbers the script calls of this process. A reservation then counts once, even if its answer is lost and the call is
 * repeated: a call lists the earlier calls with the same reservation, and the server knows their outcome.
 */
import { randomUUID } from 'node:crypto'

/** A step of a call: the attempt that reserves, and its place in the call, from 1. */
export interface NumberedStep {
  attempt: string
  place: number
}

/**
 * The process, the number of the call, the number below which no call is pending, and the calls whose answers were lost.
 */
type CallHeader = [process: string, number: number, floor: number, lost: number[]]

export interface CallNumbers {
  /** Alternating numbers of calls and places in which this attempt's answer was lost; 0: none. */
  before(attempt: string): number[] | 0
  begin(): CallHeader
  answered(number: number, steps: readonly NumberedStep[]): void
  failed(number: number, steps: readonly NumberedStep[]): void
}

/** The number of lost calls whose outcome the server remembers, and for how long. */
const mostLost = 1000
const keptMs = 900_000

interface LostCall {
  attempts: Set<string>
  lostAt: number
}

export function createCallNumbers(now: () => number = Date.now): CallNumbers {
  const processId = randomUUID()
  const underWay = new Set<number>()
  const lostCalls = new Map<number, LostCall>()
  const lostSteps = new Map<string, number[]>()
  let last = 0

  function forget(number: number, { attempts }: LostCall): void {
    lostCalls.delete(number)
    for (const attempt of attempts) lostSteps.delete(attempt)
  }

  function prune(): void {
    for (const [number, call] of lostCalls) {
      if (lostCalls.size <= mostLost && now() - call.lostAt < keptMs) return
      forget(number, call)
    }
  }

  function found(attempt: string): void {
    const before = lostSteps.get(attempt)
    if (before === undefined) return
    lostSteps.delete(attempt)
    for (let at = 0; at < before.length; at += 2) {
      const number = before[at] ?? 0
      const call = lostCalls.get(number)
      call?.attempts.delete(attempt)
      if (call?.attempts.size === 0) lostCalls.delete(number)
    }
  }

  return {
    before: (attempt) => lostSteps.get(attempt) ?? 0,
    begin() {
      last += 1
      underWay.add(last)
      if (lostCalls.size > 0) prune()
      const [lowest = last] = underWay
      return [processId, last, lowest - 1, [...lostCalls.keys()]]
    },
    answered(number, steps) {
      underWay.delete(number)
      if (lostCalls.size === 0) return
      for (const { attempt } of steps) found(attempt)
    },
    failed(number, steps) {
      underWay.delete(number)
      lostCalls.set(number, { attempts: new Set(steps.map(({ attempt }) => attempt)), lostAt: now() })
      for (const { attempt, place } of steps)
        lostSteps.set(attempt, [...(lostSteps.get(attempt) ?? []), number, place])
      prune()
    },
  }
}
