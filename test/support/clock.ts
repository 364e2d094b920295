/**
 * A clock that a test turns, while real sockets go on: `setTimeout` and `Date` are the test's, everything else is
 * real. It keeps the waits that were asked for, so that a test can say how long they are without waiting.
 */
import { type Clock, install } from '@sinonjs/fake-timers'

/** Turns of the event loop after which something that was to happen did not. */
const maxTurns = 200_000

export interface TestClock {
  /** Milliseconds of every `setTimeout` since it was stopped. */
  waits: number[]
  tick(ms: number): Promise<void>
  /** As for a process that did not run meanwhile: every timer that is due runs once, late. */
  jump(ms: number): void
  /** Turns of the event loop until it holds; time stands still. */
  until(holds: () => boolean, what: string): Promise<void>
  /** The result of something that takes time: turns the clock on until it is there. */
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
      // Connections of earlier tests end timers that they set on the real clock.
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
        // Time goes on only now and then, so that what is under way on sockets arrives before the next hour strikes.
        if (turn % 200 === 199) await tick(1000)
      }
      return work
    },
  }
}

/** Turns of the event loop until it holds, whatever the clock does. */
export async function turnUntil(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < maxTurns; turn += 1) {
    if (holds()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`It did not happen: ${what}.`)
}

/**
 * Gives what moves `performance.now` on, as for a provider that takes long: durations are what the test says, however busy
 * the machine is. Timers and sockets stay real.
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

/** Makes the event loop look idle, however busy the machine is: a busy process gives the servers that it asks more time. */
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
