/** The circuit breaker of a target within one process, with a fake clock. */
import { isGatewayError } from '@gateway/contract'
import { expect } from 'chai'
import type { Breaker } from '#routing/breaker/breaker'
import { type BreakerRegistry, createBreakers } from '#routing/breaker/breaker-registry'
import { createMemorySharedState } from '#store/memory/shared-state'
import { beginCall, cooldownMs, open, run, settings, settle, stopClock } from './breaker-calls.ts'

describe('a circuit breaker', () => {
  let clock: ReturnType<typeof stopClock>
  let breakers: BreakerRegistry
  let breaker: Breaker
  beforeEach(async () => {
    clock = stopClock()
    breakers = await createBreakers({ shared: createMemorySharedState(), maxBreakers: 3 })
    breaker = breakers.get('target', settings)
  })
  afterEach(() => {
    breakers.close()
    clock.uninstall()
  })

  async function refusal(): Promise<{ code: string; status: number; retryAfter: string | undefined }> {
    const error = await breaker
      .run(async () => ({ value: '', failed: false }))
      .catch((fault: unknown) => fault)
    if (!isGatewayError(error)) throw new Error('The call was not refused.')
    return { code: error.code, status: error.status, retryAfter: error.headers?.['retry-after'] }
  }

  describe('while closed', () => {
    it('opens with the last failure of its threshold', async () => {
      await open(breaker, 2)
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(true)
    })

    it('returns the answer of a failed call to its caller', async () => {
      expect(await run(breaker, true)).to.equal('answered')
    })

    it('opens with the first failure when the threshold is one', async () => {
      const quick = breakers.get('target', { ...settings, failure_threshold: 1 })
      await run(quick, true)
      expect(quick.isOpen()).to.equal(true)
    })

    it('starts from zero after a success', async () => {
      await open(breaker, 2)
      await run(breaker, false)
      await open(breaker, 2)
      expect(breaker.isOpen()).to.equal(false)
    })

    it('counts a failure for exactly one cooldown', async () => {
      await run(breaker, true)
      clock.tick(1000)
      await run(breaker, true)
      clock.tick(cooldownMs - 999)
      await run(breaker, true)
      expect(breaker.isOpen(), 'the first is too old').to.equal(false)
      clock.tick(999)
      await run(breaker, true)
      expect(breaker.isOpen(), 'the second is not').to.equal(true)
    })

    it('counts failures within one cooldown across two windows', async () => {
      for (const pauseMs of [0, cooldownMs - 1000, 2000]) {
        clock.tick(pauseMs)
        await run(breaker, true)
      }
      expect(breaker.isOpen(), 'the first is too old').to.equal(false)
      clock.tick(1000)
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(true)
    })

    it('neither counts a disconnected client nor resets for it', async () => {
      await open(breaker, 2)
      await run(breaker, 'ignored')
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(true)
    })

    it('neither counts a call that throws nor resets for it', async () => {
      await open(breaker, 2)
      const fault = await breaker.run(() => Promise.reject(new Error('ours'))).catch(String)
      expect(fault).to.equal('Error: ours')
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(true)
    })

    it('counts a failure reported after the call', () => {
      for (let count = 0; count < settings.failure_threshold; count += 1) breaker.fail()
      expect(breaker.isOpen()).to.equal(true)
    })

    it('opens for streams that begin and then break off', async () => {
      for (let count = 0; count < settings.failure_threshold; count += 1) {
        expect(await run(breaker, Promise.resolve(true))).to.equal('answered')
      }
      expect(breaker.isOpen()).to.equal(true)
    })

    it('starts from zero after a stream that ended well', async () => {
      await open(breaker, 2)
      await run(breaker, Promise.resolve(false))
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(false)
    })

    it('does not count a stream whose end is unknown', async () => {
      await open(breaker, 2)
      await run(breaker, Promise.reject(new Error('lost')))
      expect(breaker.isOpen()).to.equal(false)
    })
  })

  describe('while open', () => {
    beforeEach(() => open(breaker))

    it('refuses calls with 503 and the remaining seconds', async () => {
      clock.tick(500)
      expect(await refusal()).to.deep.equal({ code: 'circuit_open', status: 503, retryAfter: '30' })
      clock.tick(cooldownMs - 501)
      expect(await refusal()).to.deep.equal({ code: 'circuit_open', status: 503, retryAfter: '1' })
    })

    it('does not make the calls that it refuses', async () => {
      let calls = 0
      const call = async () => {
        calls += 1
        return { value: '', failed: false }
      }
      await breaker.run(call).catch(() => undefined)
      expect(calls).to.equal(0)
    })

    it('stays open when calls that began earlier fail', async () => {
      clock.tick(cooldownMs - 1)
      breaker.fail()
      clock.tick(1)
      expect(breaker.isOpen()).to.equal(false)
    })

    it('allows a call after the cooldown', () => {
      clock.tick(cooldownMs - 1)
      expect(breaker.isOpen()).to.equal(true)
      clock.tick(1)
      expect(breaker.isOpen()).to.equal(false)
    })

    it('stays open for a cooldown longer than the maximum of a timer', async () => {
      const patient = breakers.get('target', { failure_threshold: 1, cooldown_interval: 2 ** 40 })
      await run(patient, true)
      clock.tick(cooldownMs)
      expect(patient.isOpen()).to.equal(true)
    })
  })

  describe('while half-open', () => {
    beforeEach(async () => {
      await open(breaker)
      clock.tick(cooldownMs)
    })

    it('allows one probe and refuses other calls', async () => {
      const probe = beginCall(breaker)
      await settle()
      expect(breaker.isOpen()).to.equal(true)
      expect(await refusal()).to.include({ code: 'circuit_open', retryAfter: '1' })
      expect(await probe.end(false)).to.equal('answered')
    })

    it('closes when the probe succeeds, and starts from zero', async () => {
      await run(breaker, false)
      await open(breaker, 2)
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, true)
      expect(breaker.isOpen()).to.equal(true)
    })

    it('opens for a whole cooldown when the probe fails', async () => {
      const probe = beginCall(breaker)
      clock.tick(5000)
      await probe.end(true)
      clock.tick(cooldownMs - 1)
      expect(breaker.isOpen()).to.equal(true)
      clock.tick(1)
      expect(await run(breaker, false)).to.equal('answered')
      expect(breakers.states()).to.deep.equal({ closed: 1, open: 0, half_open: 0 })
    })

    it('lets the next call probe at once when the client of the probe disconnected', async () => {
      expect(await run(breaker, 'ignored')).to.equal('answered')
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, false)
      expect(breakers.states().closed).to.equal(1)
    })

    it('lets the next call probe at once when the probe threw', async () => {
      await breaker.run(() => Promise.reject(new Error('ours'))).catch(() => undefined)
      expect(breaker.isOpen()).to.equal(false)
      await run(breaker, true)
      expect(breakers.states().open).to.equal(1)
    })

    it('closes when a stream begins, and counts a failure when it breaks off', async () => {
      await run(breaker, Promise.resolve(true))
      expect(breakers.states().closed).to.equal(1)
      await open(breaker, 2)
      expect(breaker.isOpen()).to.equal(true)
    })

    it("does not use a failure reported later as the probe's verdict", () => {
      breaker.fail()
      expect(breaker.isOpen()).to.equal(false)
    })
  })

  for (const failed of [true, false]) {
    it(`does not use the end of an earlier call as the probe's verdict (failed: ${failed})`, async () => {
      const straggler = beginCall(breaker)
      await open(breaker)
      clock.tick(cooldownMs)
      await straggler.end(failed)
      expect(breakers.states()).to.deep.equal({ closed: 0, open: 0, half_open: 1 })
    })
  }

  describe('in the breaker cache', () => {
    it('is reused for the same target and settings', async () => {
      await open(breakers.get('target', { ...settings }))
      expect(breaker.isOpen()).to.equal(true)
    })

    const differences = {
      target: () => breakers.get('other', settings),
      threshold: () => breakers.get('target', { ...settings, failure_threshold: 4 }),
      cooldown: () => breakers.get('target', { ...settings, cooldown_interval: 60_000 }),
      codes: () => breakers.get('target', { ...settings, failure_status_codes: [429] }),
    }
    for (const [difference, other] of Object.entries(differences)) {
      it(`is separate for another ${difference}`, async () => {
        await open(breaker)
        expect(other().isOpen()).to.equal(false)
      })
    }

    it('is counted by its state', async () => {
      await open(breakers.get('one', settings))
      clock.tick(cooldownMs)
      await open(breakers.get('two', settings))
      expect(breakers.states()).to.deep.equal({ closed: 1, open: 1, half_open: 1 })
    })

    it('is evicted when there are too many, and leaves no timer behind', async () => {
      await open(breaker)
      for (const key of ['one', 'two', 'three']) breakers.get(key, settings)
      expect(clock.countTimers()).to.equal(0)
      expect(breakers.states()).to.deep.equal({ closed: 3, open: 0, half_open: 0 })
      expect(breakers.get('target', settings).isOpen()).to.equal(false)
    })

    it('still makes calls for its holders after it was evicted', async () => {
      for (const key of ['one', 'two', 'three']) breakers.get(key, settings)
      await open(breaker)
      expect(await run(breaker, false)).to.equal('answered')
    })

    it('leaves no timer behind when all are closed', async () => {
      await open(breaker)
      breakers.close()
      expect(clock.countTimers()).to.equal(0)
    })
  })
})
