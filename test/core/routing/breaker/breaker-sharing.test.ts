/** Circuit breakers of two processes with shared state, also while that does not answer. */
import { GatewayError, type SharedState } from '@gateway/contract'
import { expect } from 'chai'
import { type BreakerRegistry, createBreakers } from '#routing/breaker/breaker-registry'
import { createMemorySharedState } from '#store/memory/shared-state'
import { beginCall, cooldownMs, open, run, settings, settle, stopClock } from './breaker-calls.ts'

describe('the circuit breakers of two processes', () => {
  let clock: ReturnType<typeof stopClock>
  let shared: SharedState
  /** Operations on shared state so far, subscriptions aside. */
  let operations: string[]
  let opened: BreakerRegistry[]
  let here: BreakerRegistry
  let there: BreakerRegistry
  beforeEach(async () => {
    clock = stopClock()
    operations = []
    opened = []
    shared = recording(createMemorySharedState(), operations)
    here = await start(shared)
    there = await start(shared)
  })
  afterEach(() => {
    for (const breakers of opened) breakers.close()
    clock.uninstall()
  })

  async function start(state: SharedState, learnMs = 0): Promise<BreakerRegistry> {
    const breakers = await createBreakers({ shared: state, learnMs })
    opened.push(breakers)
    return breakers
  }
  const targetOf = (breakers: BreakerRegistry) => breakers.get('target', settings)
  const areOpen = () => [here, there].map((breakers) => targetOf(breakers).isOpen())

  it('share their count', async () => {
    await open(targetOf(here), 2)
    expect(areOpen()).to.deep.equal([false, false])
    await open(targetOf(there), 1)
    expect(areOpen()).to.deep.equal([true, true])
  })

  for (const known of [settings.failure_threshold - 1, settings.failure_threshold - 2]) {
    it(`report an opening once when both fail at the same time, after ${known} shared failures`, async () => {
      const held: (() => void)[] = []
      let isHeld = false
      const told: string[] = []
      const late = <T>(work: () => Promise<T>): Promise<T> =>
        isHeld ? new Promise((resolve) => held.push(() => resolve(work()))) : work()
      const slow = (state: SharedState): SharedState => ({
        ...state,
        publish: (topic, message) => late(() => state.publish(topic, message)),
        increment: (key, ttlMs) => (isHeld ? new Promise(() => undefined) : state.increment(key, ttlMs)),
      })
      const pair: BreakerRegistry[] = []
      for (const name of ['first', 'second']) {
        const changed = (_subject: unknown, event: string) => told.push(`${event} ${name}`)
        const breakers = await createBreakers({ shared: slow(shared), changed })
        opened.push(breakers)
        pair.push(breakers)
      }
      const circuits = pair.map((breakers) => targetOf(breakers))
      for (const circuit of circuits)
        circuit.subject = {
          ...{ provider: 'openai', model: 'm', virtualKey: null, hostKind: 'default' },
          ...{ organisationId: 'o', workspaceIds: ['w'] },
        }
      const [first, second] = circuits
      if (first === undefined || second === undefined) throw new Error('Nothing was made.')
      await open(first, known)
      await settle()
      isHeld = true
      await open(first, 1)
      await open(second, 1)
      isHeld = false
      for (const release of held) release()
      await settle()
      expect(circuits.map((circuit) => circuit.isOpen())).to.deep.equal([true, true])
      expect(told).to.have.length(1)
      expect(told[0]).to.match(/^opened /)
    })
  }

  it('count all failures within one cooldown, whichever process saw them', async () => {
    await run(targetOf(here), true)
    clock.tick(cooldownMs - 1)
    await run(targetOf(there), true)
    clock.tick(2)
    await run(targetOf(here), true)
    expect(areOpen(), 'the first is too old').to.deep.equal([false, false])
    await run(targetOf(there), true)
    expect(areOpen()).to.deep.equal([true, true])
  })

  it('start again after a success in either process', async () => {
    await open(targetOf(here), 2)
    await run(targetOf(there), false)
    await open(targetOf(here), 2)
    expect(areOpen()).to.deep.equal([false, false])
  })

  it('learn that a circuit is open before their first call', async () => {
    await open(targetOf(here))
    expect(await run(targetOf(there), false)).to.equal('circuit_open')
  })

  it('share missed messages after their first own failure', async () => {
    await open(targetOf(here))
    const newcomer = await start(shared)
    await run(targetOf(newcomer), true)
    expect(targetOf(newcomer).isOpen()).to.equal(true)
  })

  describe('are known to a new process before it is ready', () => {
    it('when they are open', async () => {
      await open(targetOf(here))
      const newcomer = await start(shared, 2000)
      await settle()
      expect(newcomer.hasLearned()).to.equal(true)
      expect(await run(targetOf(newcomer), false)).to.equal('circuit_open')
    })

    it('when they wait for a probe', async () => {
      await open(targetOf(here))
      clock.tick(cooldownMs)
      const newcomer = await start(shared, 2000)
      await settle()
      expect(await run(targetOf(newcomer), false)).to.equal('circuit_open')
    })

    it('and open ones stay open for the rest of their cooldown', async () => {
      await open(targetOf(here))
      clock.tick(cooldownMs - 1)
      await start(shared, 2000)
      await settle()
      clock.tick(1)
      expect(targetOf(here).isOpen()).to.equal(false)
    })

    it('and it keeps no state when all are closed', async () => {
      await run(targetOf(here), false)
      const newcomer = await start(shared, 2000)
      await settle()
      expect(newcomer.hasLearned()).to.equal(true)
      expect(newcomer.states()).to.deep.equal({ closed: 0, open: 0, half_open: 0 })
    })

    it('and it becomes ready after a timeout when no process answers', async () => {
      const alone = await start(createMemorySharedState(), 2000)
      await settle()
      expect(alone.hasLearned()).to.equal(false)
      clock.tick(2000)
      expect(alone.hasLearned()).to.equal(true)
    })
  })

  it('allow one probe in both processes together, whose success closes both', async () => {
    await open(targetOf(here))
    clock.tick(cooldownMs)
    const probe = beginCall(targetOf(here))
    expect(await run(targetOf(there), false)).to.equal('circuit_open')
    expect(areOpen()).to.deep.equal([true, true])
    await probe.end(false)
    expect([here.states().closed, there.states().closed]).to.deep.equal([1, 1])
  })

  it('stay open for a whole cooldown when the probe of either fails', async () => {
    await open(targetOf(here))
    clock.tick(cooldownMs)
    const probe = beginCall(targetOf(there))
    clock.tick(5000)
    await probe.end(true)
    clock.tick(cooldownMs - 1)
    expect(areOpen()).to.deep.equal([true, true])
    clock.tick(1)
    expect(areOpen()).to.deep.equal([false, false])
  })

  it('wait for another whole cooldown when the other process opens its circuit again', async () => {
    const messages: string[] = []
    await shared.subscribe('breakers', (message) => messages.push(message))
    await open(targetOf(here))
    const opening = messages.find((message) => message.includes('opened')) ?? ''
    clock.tick(10_000)
    await shared.publish('breakers', opening)
    await settle()
    clock.tick(cooldownMs - 1)
    expect(targetOf(there).isOpen()).to.equal(true)
    clock.tick(1)
    expect(targetOf(there).isOpen()).to.equal(false)
  })

  it('start from zero once closed, independent of the counts of a new process', async () => {
    await run(targetOf(here), true)
    clock.tick(10_000)
    await open(targetOf(here), 2)
    clock.tick(25_000)
    await run(targetOf(await start(shared)), true)
    clock.tick(5000)
    await run(targetOf(here), false)
    await open(targetOf(here), 2)
    expect(areOpen()).to.deep.equal([false, false])
  })

  it('can both probe at once after a probe without a verdict', async () => {
    await open(targetOf(here))
    clock.tick(cooldownMs)
    const probe = beginCall(targetOf(here))
    expect(await run(targetOf(there), false)).to.equal('circuit_open')
    await probe.end('ignored')
    expect(areOpen()).to.deep.equal([false, false])
    expect(await run(targetOf(there), false)).to.equal('answered')
  })

  it('probe again when the probing process has exited', async () => {
    await open(targetOf(here))
    clock.tick(cooldownMs)
    beginCall(targetOf(here))
    await settle()
    expect(await run(targetOf(there), false)).to.equal('circuit_open')
    clock.tick(cooldownMs)
    expect(await run(targetOf(there), false)).to.equal('answered')
    expect(there.states().closed).to.equal(1)
  })

  it('do not open for a count that arrives after a success', async () => {
    const counts: ((count: number) => void)[] = []
    const slow: SharedState = {
      ...shared,
      increment: () =>
        new Promise((resolve) => {
          counts.push(resolve)
        }),
    }
    const breaker = targetOf(await start(slow))
    await run(breaker, true)
    await run(breaker, false)
    for (const arrive of counts) arrive(settings.failure_threshold)
    await settle()
    expect(breaker.isOpen()).to.equal(false)
  })

  it('do not read shared state while calls succeed', async () => {
    for (let count = 0; count < 10; count += 1) await run(targetOf(here), false)
    expect(operations).to.deep.equal([])
    await run(targetOf(here), true)
    await run(targetOf(here), false)
    operations.length = 0
    await run(targetOf(here), false)
    await run(targetOf(there), false)
    expect(operations).to.deep.equal([])
  })

  it('ignore messages in an unknown format', async () => {
    const texts = ['', 'null', '{}', '{"from":"x","event":"opened","id":"y"}', '{"from":"x","event":"other"}']
    for (const text of texts) await shared.publish('breakers', text)
    await settle()
    expect(here.states()).to.deep.equal({ closed: 0, open: 0, half_open: 0 })
  })

  it('receive no messages after they were closed', async () => {
    there.close()
    await open(targetOf(here))
    expect(there.states()).to.deep.equal({ closed: 0, open: 0, half_open: 0 })
  })

  describe('without shared state', () => {
    it('open, probe and close independently', async () => {
      const alone = targetOf(await start(refusing))
      await open(alone)
      expect(alone.isOpen()).to.equal(true)
      clock.tick(cooldownMs)
      expect(await run(alone, true)).to.equal('answered')
      expect(alone.isOpen()).to.equal(true)
      clock.tick(cooldownMs)
      expect(await run(alone, false)).to.equal('answered')
      expect(alone.isOpen()).to.equal(false)
    })

    it('share their state as soon as it answers', async () => {
      let isThere = false
      const late = await start({
        ...shared,
        subscribe: (...call) => (isThere ? shared.subscribe(...call) : refusing.subscribe(...call)),
      })
      isThere = true
      await clock.tickAsync(5000)
      await open(targetOf(here))
      expect(targetOf(late).isOpen()).to.equal(true)
    })

    it('leave no subscription timer behind', async () => {
      const alone = await start(refusing)
      alone.close()
      expect(clock.countTimers()).to.equal(0)
    })

    it('count through shared state when only messages are lost', async () => {
      const mute: SharedState = { ...shared, publish: async () => undefined }
      const one = targetOf(await start(mute))
      const other = targetOf(await start(mute))
      await open(one, 2)
      await run(other, true)
      expect(other.isOpen()).to.equal(true)
    })
  })
})

/** A shared state whose server is unavailable. */
const refusing: SharedState = {
  increment: refuse,
  acquire: refuse,
  delete: refuse,
  publish: refuse,
  subscribe: refuse,
}

async function refuse(): Promise<never> {
  throw new GatewayError('dependency_unavailable', 'It is away.')
}

function recording(state: SharedState, operations: string[]): SharedState {
  return {
    ...state,
    increment: (...call) => state.increment(...note(call, 'increment')),
    acquire: (...call) => state.acquire(...note(call, 'acquire')),
    delete: (...call) => state.delete(...note(call, 'delete')),
    publish: (...call) => state.publish(...note(call, 'publish')),
  }
  function note<T>(call: T, operation: string): T {
    operations.push(operation)
    return call
  }
}
