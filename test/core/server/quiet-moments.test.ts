/** When background work starts, with clocks that the test controls. */
import { expect } from 'chai'
import { createQuietMoments } from '#core/server/in-process/quiet-moments'

describe('quiet moments of the event loop', () => {
  /** Between two measurements, the event loop is busy for the share of the time that the test sets. */
  function open() {
    const scene = { share: 0.1, nowMs: 0, looks: 0 }
    const measured = { busyMs: 0, ms: 0 }
    const planned: (() => void)[] = []
    const moments = createQuietMoments({
      nowMs: () => scene.nowMs,
      restart: () => void Object.assign(measured, { busyMs: 0, ms: 0 }),
      busyShare: () => measured.busyMs / measured.ms,
      after(ms, callback) {
        planned.push(() => {
          scene.nowMs += ms
          measured.ms += ms
          measured.busyMs += ms * scene.share
          scene.looks += 1
          callback()
        })
      },
      afterArrived: (callback) => void planned.push(callback),
    })
    const begun: [name: string, isQuiet: boolean][] = []
    const ask = (name: string) => void moments.next().then((isQuiet) => begun.push([name, isQuiet]))
    const turn = async () => {
      planned.shift()?.()
      await Promise.resolve()
      await Promise.resolve()
    }
    return { scene, planned, begun, ask, turn, isUnderLoad: moments.isUnderLoad }
  }

  it('start one piece of work each, in order, after events that have arrived', async () => {
    const { begun, ask, turn } = open()
    ask('a')
    ask('b')
    await turn()
    expect(begun, 'a look').to.deep.equal([])
    await turn()
    expect(begun).to.deep.equal([['a', true]])
    await turn()
    await turn()
    expect(begun).to.deep.equal([
      ['a', true],
      ['b', true],
    ])
  })

  it('come once the event loop has been idle for half of the time', async () => {
    const { scene, begun, ask, turn } = open()
    scene.share = 1
    ask('a')
    for (let look = 0; look < 3; look += 1) await turn()
    scene.share = 0
    for (let look = 0; look < 2; look += 1) await turn()
    expect(begun, 'a short pause').to.deep.equal([])
    for (let look = 0; look < 2; look += 1) await turn()
    expect(begun).to.deep.equal([['a', true]])
  })

  it('are given up for all waiting work when the event loop is busy for too long', async () => {
    const { scene, planned, begun, ask, turn, isUnderLoad } = open()
    scene.share = 0.9
    ask('a')
    await turn()
    ask('b')
    while (planned.length > 0) await turn()
    expect(begun).to.deep.equal([
      ['a', false],
      ['b', false],
    ])
    expect(isUnderLoad()).to.equal(true)
  })

  it('are not looked for during the following seconds', async () => {
    const { scene, planned, begun, ask, turn, isUnderLoad } = open()
    scene.share = 0.9
    ask('a')
    while (planned.length > 0) await turn()
    scene.share = 0.1
    ask('b')
    await turn()
    expect(begun.at(-1), 'at once').to.deep.equal(['b', false])
    expect(planned).to.deep.equal([])
    scene.nowMs += 5000
    expect(isUnderLoad()).to.equal(false)
    ask('c')
    await turn()
    await turn()
    expect(begun.at(-1)).to.deep.equal(['c', true])
  })

  it('are not looked for while no work waits', async () => {
    const { scene, planned, ask, turn } = open()
    expect(planned).to.deep.equal([])
    ask('a')
    while (planned.length > 0) await turn()
    expect(scene.looks).to.equal(1)
  })
})
