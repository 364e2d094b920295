/** The order in which waiting requests are served. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Hold, Waited } from '#flow/capacity'
import { TargetLimits } from '#routing/capacity/target-limits'
import { createWaitQueue } from '#routing/capacity/wait-queue'
import { assertProperty } from '../../../support/assert-property.ts'

const small = { inputTokens: 1, outputTokens: 0 }

describe('waiting requests', () => {
  let clock: Clock & { uninstall(): void }
  beforeEach(() => {
    clock = install({
      now: 1_000_000,
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      shouldClearNativeTimers: true,
    })
  })
  afterEach(() => clock.uninstall())

  /** A target without room for `resetMs`, which then has room for `limit` requests. */
  const fullTarget = (resetMs: number, limit = 1000) => {
    const target = new TargetLimits('target')
    learn(target, { remaining: 0, limit, resetAt: Date.now() + resetMs })
    return target
  }
  const learn = (target: TargetLimits, window: { remaining: number; limit: number; resetAt: number }) =>
    target.learn(
      { windows: [{ name: 'requests', measure: 'requests', ...window }], retryAt: null },
      { status: 200, headers: {}, need: small, mark: null, nowMs: Date.now() },
    )

  interface Asked {
    name: string
    caller?: string
    priority?: number
    need?: typeof small
  }

  function open(target: TargetLimits, maxWaiting = 1000) {
    const queue = createWaitQueue({ maxWaiting: () => maxWaiting })
    const served: string[] = []
    const ended: Record<string, string> = {}
    const holds: Hold[] = []
    const join = ({ name, caller = 'key', priority = 50, need = small }: Asked, longestMs = 600_000) => {
      const ticket = queue.join({ seats: [{ target, need }], priority, caller, isOtherwiseFree: null })
      void ticket.wait(longestMs).then(({ outcome, hold }: Waited) => {
        ended[name] = outcome
        if (outcome === 'served') served.push(name)
        if (hold !== null) holds.push(hold)
      })
      return ticket
    }
    return { queue, served, ended, holds, join }
  }

  it('take turns by key within a priority', async () => {
    const { join, served } = open(fullTarget(1000))
    for (const name of ['a1', 'a2', 'a3', 'a4']) join({ name, caller: 'a' })
    for (const name of ['b1', 'b2']) join({ name, caller: 'b' })
    join({ name: 'c1', caller: 'c', priority: 10 })
    join({ name: 'd1', caller: 'd', priority: 60 })
    await clock.tickAsync(1000)
    expect(served).to.deep.equal(['d1', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4', 'c1'])
  })

  it('are served as far as there is room, counting those that have left and not been sent', async () => {
    const target = fullTarget(1000, 2)
    const { join, served, holds, queue } = open(target)
    for (const name of ['1', '2', '3', '4']) join({ name })
    await clock.tickAsync(1000)
    expect(served).to.deep.equal(['1', '2'])
    for (const hold of holds) {
      hold.release()
      target.send(small, Date.now())
    }
    queue.serve()
    await clock.tickAsync(0)
    expect(served).to.deep.equal(['1', '2'])
    holds.length = 0
    learn(target, { remaining: 1, limit: 2, resetAt: Date.now() + 60_000 })
    queue.serve()
    await clock.tickAsync(0)
    expect(served).to.deep.equal(['1', '2', '3'])
  })

  it('do not overtake a larger one that waits for the same target', async () => {
    const target = new TargetLimits('target')
    const tokens = (remaining: number) =>
      target.learn(
        {
          windows: [{ name: 't', measure: 'tokens', limit: 100, remaining, resetAt: Date.now() + 1000 }],
          retryAt: null,
        },
        { status: 200, headers: {}, need: small, mark: null, nowMs: Date.now() },
      )
    tokens(50)
    const { join, served } = open(target)
    join({ name: 'large', need: { inputTokens: 80, outputTokens: 0 } })
    join({ name: 'small', caller: 'other' })
    await clock.tickAsync(500)
    expect(served).to.deep.equal([])
    await clock.tickAsync(500)
    expect(served).to.deep.equal(['large', 'small'])
  })

  it('have a bounded number of places, half of them for one key', async () => {
    const { join, ended, queue } = open(fullTarget(60_000), 4)
    for (const name of ['a1', 'a2', 'a3']) join({ name, caller: 'a' })
    for (const name of ['b1', 'c1', 'd1']) join({ name, caller: name })
    await clock.tickAsync(0)
    expect(ended).to.deep.equal({ a3: 'full', d1: 'full' })
    expect(queue.size).to.equal(4)
  })

  it('end at their own timeout, when the caller disconnects, and when the process stops, including later ones', async () => {
    const { join, ended, queue } = open(fullTarget(60_000))
    join({ name: 'impatient' }, 100)
    join({ name: 'leaver' }).leave()
    join({ name: 'patient' })
    await clock.tickAsync(100)
    expect(queue.stop()).to.equal(1)
    join({ name: 'late' })
    await clock.tickAsync(0)
    expect(ended).to.deep.equal({
      impatient: 'timeout',
      leaver: 'left',
      patient: 'stopping',
      late: 'stopping',
    })
    expect(queue.size).to.equal(0)
    expect(clock.countTimers()).to.equal(0)
  })

  it('are all served or ended in any case, and never more of them than the room allows', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('join' as const),
        caller: fc.nat(3),
        priority: fc.constantFrom(10, 50, 90),
      }),
      fc.record({ kind: fc.constant('leave' as const), which: fc.nat(30) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3000) }),
    )
    await assertProperty(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, limit) => {
          const target = fullTarget(1000, limit)
          const { join, served, ended, holds, queue } = open(target)
          const tickets: ReturnType<typeof join>[] = []
          for (const one of steps) {
            if (one.kind === 'join')
              tickets.push(
                join(
                  { name: String(tickets.length), caller: String(one.caller), priority: one.priority },
                  5000,
                ),
              )
            else if (one.kind === 'leave') tickets[one.which]?.leave()
            else await clock.tickAsync(one.ms)
            const before = served.length
            for (const hold of holds.splice(0)) {
              hold.release()
              target.send(small, Date.now())
            }
            expect(before).to.be.at.most(served.length)
          }
          await clock.tickAsync(10_000)
          expect(queue.size).to.equal(0)
          expect(Object.keys(ended)).to.have.length(tickets.length)
          expect(clock.countTimers()).to.equal(0)
        },
      ),
    )
  })
})
