/** The waits of `retry`: backoff with jitter, or the wait that the provider requests. */
import { expect } from 'chai'
import { stopClock, stubRandom } from '../../support/clock.ts'
import { answerWith, hangUp, openScene } from '../../support/scene.ts'

/** Timers of the HTTP client itself: its clock's tick, and how long it keeps an idle connection to the test's upstream. */
const clientWaits = new Set([499, 58_000])

describe('the waits between retries', () => {
  const scene = openScene()
  const clock = stopClock()
  const random = stubRandom()

  /** Sends a request until the target answers or the retries end; returns the result and the waits. */
  async function ask(retry: Record<string, unknown>) {
    const reply = await clock.run(scene.ask(scene.leaf('a', { retry })))
    const waits = clock.waits.filter((wait) => !clientWaits.has(wait))
    return { status: reply.status, calls: scene.calls().length, waits }
  }

  describe('without an instruction of the provider', () => {
    const rows: { random: number; waits: number[] }[] = [
      { random: 0.5, waits: [250, 500, 1000, 2000, 4000] },
      { random: 0.125, waits: [62.5, 125, 250, 500, 1000] },
      { random: 0, waits: [0, 0, 0, 0, 0] },
    ]
    for (const { random: number, waits } of rows) {
      it(`are ${number} of 500 ms, doubled each time`, async () => {
        random(number)
        scene.answers = { a: 500 }
        expect((await ask({ attempts: 5 })).waits).to.deep.equal(waits)
      })
    }

    it('are random each time', async () => {
      const numbers = [0.5, 0.25, 0.125]
      random(() => numbers.shift() ?? 0)
      scene.answers = { a: 500 }
      expect((await ask({ attempts: 3 })).waits).to.deep.equal([250, 250, 250])
    })

    it('are the same after a connection error', async () => {
      random(0.5)
      scene.answers = { a: [hangUp, hangUp, 200] }
      expect((await ask({ attempts: 5 })).waits).to.deep.equal([250, 500])
    })

    it("ignore the provider's headers unless the config enables them", async () => {
      random(0.5)
      scene.answers = { a: [answerWith(429, { 'retry-after': '7', 'retry-after-ms': '70' }), 200] }
      expect((await ask({ attempts: 1 })).waits).to.deep.equal([250])
    })
  })

  describe('requested by the provider', () => {
    const date = (inMs: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + inMs).toUTCString()
    const rows: { what: string; headers: () => Record<string, string>; wait: number }[] = [
      { what: 'retry-after in seconds', headers: () => ({ 'retry-after': '7' }), wait: 7000 },
      { what: 'retry-after 0', headers: () => ({ 'retry-after': '0' }), wait: 0 },
      { what: 'retry-after-ms', headers: () => ({ 'retry-after-ms': '1234' }), wait: 1234 },
      { what: 'x-ms-retry-after-ms', headers: () => ({ 'x-ms-retry-after-ms': '1234' }), wait: 1234 },
      {
        what: 'retry-after-ms before all others',
        headers: () => ({ 'retry-after': '7', 'x-ms-retry-after-ms': '20', 'retry-after-ms': '1234' }),
        wait: 1234,
      },
      {
        what: 'x-ms-retry-after-ms before retry-after',
        headers: () => ({ 'retry-after': '7', 'x-ms-retry-after-ms': '1234' }),
        wait: 1234,
      },
      { what: 'a date that is past', headers: () => ({ 'retry-after': date(-20_000) }), wait: 0 },
      { what: 'a whole minute', headers: () => ({ 'retry-after': '60' }), wait: 60_000 },
      {
        what: 'nothing that can be read: the backoff',
        headers: () => ({ 'retry-after': 'soon' }),
        wait: 250,
      },
      { what: 'less than nothing: the backoff', headers: () => ({ 'retry-after': '-5' }), wait: 250 },
      {
        what: 'unreadable milliseconds and readable seconds',
        headers: () => ({ 'retry-after-ms': 'soon', 'retry-after': '7' }),
        wait: 7000,
      },
    ]
    for (const { what, headers, wait } of rows) {
      it(`follow ${what}`, async () => {
        random(0.5)
        scene.answers = { a: [answerWith(429, headers()), 200] }
        const { status, waits } = await ask({ attempts: 1, use_retry_after_headers: true })
        expect({ status, waits }).to.deep.equal({ status: 200, waits: [wait] })
      })
    }

    it('follow an HTTP date', async () => {
      scene.answers = { a: [answerWith(503, { 'retry-after': date(20_000) }), 200] }
      const { waits } = await ask({ attempts: 1, use_retry_after_headers: true })
      expect(waits[0]).to.be.greaterThan(18_000).and.at.most(20_000)
    })

    it('are also enabled by the other spelling of the key', async () => {
      scene.answers = { a: [answerWith(429, { 'retry-after': '7' }), 200] }
      expect((await ask({ attempts: 1, use_retry_after_header: true })).waits).to.deep.equal([7000])
    })

    for (const headers of [{ 'retry-after': '61' }, { 'retry-after-ms': '60001' }]) {
      it(`of more than a minute end the retries (${JSON.stringify(headers)})`, async () => {
        scene.answers = { a: [answerWith(429, headers), 200] }
        const outcome = await ask({ attempts: 5, use_retry_after_headers: true })
        expect(outcome).to.deep.equal({ status: 429, calls: 1, waits: [] })
      })
    }

    it('with a date more than a minute away end the retries', async () => {
      scene.answers = { a: [answerWith(503, { 'retry-after': date(90_000) }), 200] }
      expect(await ask({ attempts: 5, use_retry_after_headers: true })).to.include({ status: 503, calls: 1 })
    })

    it('give way to the backoff when a later answer has no header', async () => {
      random(0.5)
      scene.answers = { a: [answerWith(429, { 'retry-after': '7' }), 500, 200] }
      const { waits } = await ask({ attempts: 3, use_retry_after_headers: true })
      expect(waits).to.deep.equal([7000, 500])
    })
  })
})
