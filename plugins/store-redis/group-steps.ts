/**
 * Combines reservations and settlements of one turn of the event loop into few calls of one script, because a call
 * costs the server and this process more than a step in it.
 */
import type {
  CounterReading,
  Counters,
  CounterWindow,
  Reservation,
  ReservationResult,
} from '@gateway/contract'
import { takenAmount } from '@gateway/domain'
import { createCallNumbers, type NumberedStep } from './call-numbers.ts'
import { readingAt } from './counter-amounts.ts'

/** A server does nothing else during a call; this many steps take about a millisecond. */
const maxSteps = 100
/** Lua can unpack a few thousand values at once. */
const maxCounters = 1000

type Answer = readonly (string | number)[]

export interface StepCalls {
  reserve(
    id: string,
    reservations: readonly Reservation[],
    lease: { leaseMs: number; nowMs: number },
  ): Promise<ReservationResult>
  settle(id: string, used: Parameters<Counters['settle']>[1], nowMs: number): Promise<CounterReading[]>
}

interface Waiting {
  /** Reads its part of the answer, and returns where the next part begins. */
  resolve(answer: Answer, from: number): number
  reject(error: unknown): void
}

/** The content of one call: counters are listed once, and steps refer to them by number. */
interface Group {
  counters: (string | number)[]
  numbers: Map<string, { number: number; lengthMs: number; offsetMs: number }>
  attempts: Set<string>
  steps: (string | number | number[])[][]
  /** Reservations that count requests: asked again after a lost answer, they must not count twice. */
  counting: NumberedStep[]
  waiting: Waiting[]
  nowMs: number
}

/** @param call runs the script with the caller's time and its input as JSON */
export function groupSteps(call: (nowMs: number, input: string) => Promise<Answer>): StepCalls {
  const numbers = createCallNumbers()
  let group = newGroup()
  let isScheduled = false

  function send(): void {
    const { counters, attempts, steps, counting, waiting, nowMs } = group
    if (steps.length === 0) return
    group = newGroup()
    const header = counting.length === 0 ? [] : numbers.begin()
    const [, number = 0] = header
    call(nowMs, JSON.stringify([counters, [...attempts], steps, ...header])).then(
      (answer) => {
        if (number > 0) numbers.answered(number, counting)
        let at = 0
        for (const { resolve } of waiting) at = resolve(answer, at)
      },
      (error: unknown) => {
        if (number > 0) numbers.failed(number, counting)
        for (const { reject } of waiting) reject(error)
      },
    )
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      send()
    })
  }

  /** The group with room for these counters. A key must not have two windows in one call. */
  function groupFor(items: readonly { key: string; window: CounterWindow | null }[]): Group {
    const isFull =
      group.steps.length >= maxSteps ||
      group.numbers.size + items.length > maxCounters ||
      items.some(({ key, window }) => {
        const known = group.numbers.get(key)
        return (
          known !== undefined &&
          (known.lengthMs !== (window?.lengthMs ?? 0) || known.offsetMs !== (window?.offsetMs ?? 0))
        )
      })
    if (isFull) send()
    return group
  }

  return {
    reserve(id, reservations, { leaseMs, nowMs }) {
      const own = groupFor(reservations)
      const attempt = sent(id)
      const step: (string | number | number[])[] = ['r', attempt, leaseMs, numbers.before(attempt)]
      let holds = false
      let counts = false
      for (const { key, window, limit, need, admits, takes, ageMs = 0 } of reservations) {
        if (takes === 'hold') holds = true
        else counts = true
        const amount = takenAmount(need)
        // JSON has no infinity.
        const most = Math.min(limit, Number.MAX_VALUE)
        step.push(numberOf(own, key, window), most, amount, admits === 'open' ? 'o' : 'f')
        step.push(takes === 'hold' ? 'h' : 'u', ageMs)
      }
      if (holds) own.attempts.add(attempt)
      if (counts) own.counting.push({ attempt, place: own.steps.length + 1 })
      return join(own, { step, nowMs }, (answer, at) => {
        const readings = reservations.map((_, index) => {
          const from = at + 1 + index * 3
          return { ...readingAt(answer, from), isAdmitted: answer[from + 2] === 1 }
        })
        return { result: { isAdmitted: answer[at] === 1, readings }, next: at + 1 + reservations.length * 3 }
      })
    },
    settle(id, used, nowMs) {
      const own = groupFor(used)
      const attempt = sent(id)
      const step: (string | number)[] = ['s', attempt]
      for (const { key, window, amount } of used) step.push(numberOf(own, key, window), takenAmount(amount))
      own.attempts.add(attempt)
      return join(own, { step, nowMs }, (answer, at) => {
        const readings = used.map((_, index) => readingAt(answer, at + index * 2))
        return { result: readings, next: at + used.length * 2 }
      })
    },
  }

  function join<T>(
    own: Group,
    { step, nowMs }: { step: (string | number | number[])[]; nowMs: number },
    read: (answer: Answer, at: number) => { result: T; next: number },
  ): Promise<T> {
    own.steps.push(step)
    own.nowMs = nowMs
    schedule()
    return new Promise<T>((resolve, reject) => {
      own.waiting.push({
        resolve(answer, from) {
          const { result, next } = read(answer, from)
          resolve(result)
          return next
        },
        reject,
      })
    })
  }
}

const newGroup = (): Group => ({
  counters: [],
  numbers: new Map(),
  attempts: new Set(),
  steps: [],
  counting: [],
  waiting: [],
  nowMs: 0,
})

/** Halves of surrogate pairs, which JSON escapes but the server's parser refuses. */
const surrogates = /[\ud800-\udfff]/

/** The text in the encoding of every other command. */
const sent = (text: string): string => (surrogates.test(text) ? Buffer.from(text).toString() : text)

/** Lua counts from 1. */
function numberOf({ counters, numbers }: Group, key: string, window: CounterWindow | null): number {
  const known = numbers.get(key)
  if (known !== undefined) return known.number
  const number = numbers.size + 1
  const { lengthMs, offsetMs } = window ?? { lengthMs: 0, offsetMs: 0 }
  numbers.set(key, { number, lengthMs, offsetMs })
  counters.push(sent(key), lengthMs, offsetMs)
  return number
}
