/**
 * A fake clock next to real sockets: `setTimeout` and `Date` are controlled by the test, everything else is real. It
 * records the requested waits: a test can check their length without waiting.
 */
import { type Clock, install } from '@sinonjs/fake-timers'

/** Turns of the event loop for which an operation may take fake time. */
const maxTurns = 200_000

/**
 * After this many turns, the event depends on a thread, a disk or a real timer, and further turns would keep a core
 * busy.
 */
const busyTurns = 1000

/** The limit for an event that never happens, by a clock that no test stops; a number of turns would depend on the machine's load. */
const limitNs = 120_000_000_000n

const realTimeout = globalThis.setTimeout

export interface TestClock {
  /** Milliseconds of every `setTimeout` since the clock was stopped. */
  waits: number[]
  tick(ms: number): Promise<void>
  /** Jumps as in a suspended process: every due timer runs once, late. */
  jump(ms: number): void
  /** Runs the event loop until the condition is true; the time does not change. */
  until(holds: () => boolean, what: string): Promise<void>
  /** The result of something that takes time: advances the clock until it is available. */
  run<T>(work: Promise<T>): Promise<T>
}

/** Stops the clock before each test of this block and lets it go after. */
export function stopClock(): TestClock {
  let clock: (Clock & { uninstall(): void }) | undefined
  const waits: number[] = []
  beforeEach(() => {
    waits.length = 0
    clock = install({
      now: Date.now(),
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      // Connections of earlier tests clear timers that they set on the real clock.
      shouldClearNativeTimers: true,
    })
    const ask = globalThis.setTimeout
    const noteAndAsk = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      waits.push(ms)
      return ask(() => callback(...args), ms)
    }
    Object.assign(globalThis, { setTimeout: noteAndAsk })
  })
  afterEach(() => clock?.uninstall())
  const tick = async (ms: number) => void (await clock?.tickAsync(ms))
  return {
    waits,
    tick,
    jump: (ms) => void clock?.jump(ms),
    until: turnUntil,
    async run(work) {
      let isOver = false
      const over = () => {
        isOver = true
      }
      work.then(over, over)
      for (let turn = 0; turn < maxTurns && !isOver; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve))
        // Time advances only now and then: data in flight on sockets arrives before the next hour.
        if (turn % 200 === 199) await tick(1000)
      }
      return work
    },
  }
}

/** Runs the event loop until the condition is true, independent of the clock. */
export async function turnUntil(holds: () => boolean, what: string): Promise<void> {
  const endsAt = process.hrtime.bigint() + limitNs
  for (let turn = 0; !holds(); turn += 1) {
    if (process.hrtime.bigint() > endsAt) throw new Error(`It did not happen: ${what}.`)
    await new Promise<void>((resolve) => {
      if (turn < busyTurns) setImmediate(resolve)
      else realTimeout(resolve, 1)
    })
  }
}

/**
 * Returns a function that advances `performance.now`, for example for a slow provider: the test sets durations,
 * independent of the machine's load. Timers and sockets stay real.
 */
export function skipTime(): (ms: number) => void {
  const real = performance.now
  let skippedMs = 0
  beforeEach(() => {
    skippedMs = 0
    performance.now = () => real.call(performance) + skippedMs
  })
  afterEach(() => {
    performance.now = real
  })
  return (ms) => {
    skippedMs += ms
  }
}

/** Makes the event loop appear idle even on a busy machine: a busy process gives its servers more time. */
export function pretendIdle(): void {
  const real = performance.eventLoopUtilization
  beforeEach(() => {
    performance.eventLoopUtilization = () => ({ idle: 1, active: 0, utilization: 0 })
  })
  afterEach(() => {
    performance.eventLoopUtilization = real
  })
}

/** Makes `Math.random` give this number for the tests of this block. */
export function stubRandom(): (value: number | (() => number)) => void {
  const real = Math.random
  afterEach(() => {
    Math.random = real
  })
  return (value) => {
    Math.random = typeof value === 'number' ? () => value : value
  }
}
