/** When work that nobody waits for begins, by clocks that the test sets. */
import { expect } from 'chai'
import { createQuietMoments } from '#core/server/in-process/quiet-moments'

describe('quiet moments of the event loop', () => {
  const busy = 0.9
  const idle = 0.1

  /** Each look finds the event loop as busy as `share` says. */
  function open() {
    const scene = { share: idle, nowMs: 0, looks: 0 }
    const planned: (() => void)[] = []
    const moments = createQuietMoments({
      nowMs: () => scene.nowMs,
      busyShare: () => scene.share,
      after(ms, callback) {
        planned.push(() => {
          scene.nowMs += ms
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
    return { scene, planned, begun, ask, turn }
  }

  it('begin one piece of work each, in order, after what has arrived', async () => {
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

  it('are waited for while the event loop is busy', async () => {
    const { scene, begun, ask, turn } = open()
    scene.share = busy
    ask('a')
    for (let look = 0; look < 20; look += 1) await turn()
    expect(begun).to.deep.equal([])
    scene.share = idle
    await turn()
    await turn()
    expect(begun).to.deep.equal([['a', true]])
  })

  it('are given up for all that wait once the event loop was busy for too long', async () => {
    const { scene, planned, begun, ask, turn } = open()
    scene.share = busy
    ask('a')
    await turn()
    ask('b')
    while (planned.length > 0) await turn()
    expect(begun).to.deep.equal([
      ['a', false],
      ['b', false],
    ])
    scene.share = idle
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
