/** The time after which a store without answers counts as failing, with a fake clock. */
import { createSilenceWatch } from '@gateway/domain'
import { expect } from 'chai'
import { stopClock } from '../../../support/clock.ts'

describe('the watch on a silent store', () => {
  const clock = stopClock()
  let silences: number
  let watch: ReturnType<typeof createSilenceWatch>
  beforeEach(() => {
    silences = 0
    watch = createSilenceWatch(() => {
      silences += 1
    })
  })
  const settle = () => clock.tick(0)

  it('fires once when a question has no answer for 5 s', async () => {
    watch.asked()
    await clock.tick(4999)
    await settle()
    expect(silences).to.equal(0)
    await clock.tick(1)
    await settle()
    expect(silences).to.equal(1)
    await clock.tick(60_000)
    expect(silences).to.equal(1)
  })

  it('starts again with every answer, even while an older question is open', async () => {
    watch.asked()
    for (let second = 0; second < 20; second += 1) {
      watch.asked()()
      await clock.tick(1000)
    }
    expect(silences).to.equal(0)
    await clock.tick(5000)
    await settle()
    expect(silences).to.equal(1)
  })

  it('reports no error for an idle store', async () => {
    watch.asked()()
    await clock.tick(60_000)
    expect(silences).to.equal(0)
  })

  it('ignores late answers to questions that have timed out', async () => {
    const late = watch.asked()
    await clock.tick(5250)
    await settle()
    watch.asked()
    late()
    await clock.tick(5250)
    await settle()
    expect(silences).to.equal(2)
  })

  it('gives the store more time when the process itself was suspended', async () => {
    const answered = watch.asked()
    const start = Date.now()
    while (Date.now() - start < 4900) await clock.tick(100)
    // The clock jumps as for a suspended process; the answer is read right after.
    clock.jump(30_000)
    answered()
    await settle()
    expect(silences).to.equal(0)
  })
})
