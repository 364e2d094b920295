/** The concurrency and order of batch lines, and their waits. */
import { expect } from 'chai'
import { quietLog } from '../../support/capabilities.ts'
import { stopClock } from '../../support/clock.ts'

interface Slots {
  take(workspaceId: string): Promise<() => void>
  beforeCommit(): Promise<void>
}

const { createSlots } = (await import(
  new URL('../../../../plugins/batches/dist/engine/slots.js', import.meta.url).href
)) as { createSlots(limit: () => number, isInteractive: () => boolean): Slots }

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const turns = async (count: number) => {
  for (let done = 0; done < count; done += 1) await turn()
}

describe('the slots of lines', () => {
  it('are no more than their limit, and workspaces take turns', async () => {
    const slots = createSlots(
      () => 2,
      () => false,
    )
    const begun: string[] = []
    const releases: (() => void)[] = []
    const take = (workspace: string, line: number) =>
      void slots.take(workspace).then((release) => {
        begun.push(`${workspace}${line}`)
        releases.push(release)
      })
    for (const line of [1, 2, 3, 4]) take('a', line)
    for (const line of [1, 2]) take('b', line)
    await turns(5)
    expect(begun).to.deep.equal(['a1', 'a2'])
    for (let count = 0; count < 4; count += 1) {
      const release = releases.shift()
      release?.()
      // Again: it counts once.
      release?.()
      await turns(5)
    }
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'a4', 'b2'])
  })

  /** The loop is late: a timer fires long after its time. */
  async function beLate(): Promise<void> {
    const until = performance.now() + 100
    while (performance.now() < until);
    // The timer that found it out has fired.
    await new Promise((resolve) => setTimeout(resolve, 1))
    await turns(3)
  }

  it('are not held back by a late loop when no client waits', async () => {
    const slots = createSlots(
      () => 10,
      () => false,
    )
    await slots.take('a')
    await beLate()
    let isTaken = false
    void slots.take('a').then(() => {
      isTaken = true
    })
    await turns(5)
    expect(isTaken).to.equal(true)
  })

  it('are held back by a late loop while a client waits, for a bounded time', async () => {
    let asked = 0
    const slots = createSlots(
      () => 10,
      () => {
        asked += 1
        return asked < 3
      },
    )
    await slots.take('a')
    await beLate()
    await slots.take('a')
    expect(asked).to.be.at.least(1)
  })

  describe('while a client waits', () => {
    const clock = stopClock()
    const real = performance.now
    beforeEach(() => {
      performance.now = () => 1000
    })
    afterEach(() => {
      performance.now = real
    })

    it('start apart from each other, so that the client is answered in between', async () => {
      let isWaiting = true
      const slots = createSlots(
        () => 10,
        () => isWaiting,
      )
      const begun: number[] = []
      const take = (line: number) => void slots.take('a').then(() => begun.push(line))
      for (const line of [1, 2, 3]) take(line)
      await turns(5)
      expect(begun).to.deep.equal([1])
      await clock.tick(8)
      expect(begun).to.deep.equal([1, 2])
      await clock.tick(8)
      expect(begun).to.deep.equal([1, 2, 3])
      isWaiting = false
      for (const line of [4, 5, 6]) take(line)
      await turns(5)
      expect(begun).to.deep.equal([1, 2, 3, 4, 5, 6])
    })

    it('let their results wait for others before a commit', async () => {
      let isWaiting = true
      const slots = createSlots(
        () => 10,
        () => isWaiting,
      )
      let commits = 0
      const commit = () => void slots.beforeCommit().then(() => (commits += 1))
      commit()
      await clock.tick(49)
      expect(commits).to.equal(0)
      await clock.tick(1)
      expect(commits).to.equal(1)
      isWaiting = false
      commit()
      await turns(5)
      expect(commits).to.equal(2)
    })
  })
})

describe('the commits of results', () => {
  it('wait for the pause, and then contain all results that came meanwhile', async () => {
    const { createCommits } = await import(
      new URL('../../../../plugins/batches/dist/engine/commit-results.js', import.meta.url).href
    )
    const committed: number[] = []
    const work = {
      commit: async (_id: string, _fence: number, results: unknown[]) => committed.push(results.length),
    }
    let end: () => void = () => undefined
    const pause = new Promise<void>((resolve) => {
      end = resolve
    })
    const { add } = createCommits({
      context: { log: quietLog, work },
      kind: 'batch',
      id: 'batch',
      fence: 1,
      handOver: { nudge: () => undefined },
      slots: { beforeCommit: () => pause },
    })
    const added = [1, 2, 3].map((position) => add({ position, data: '', outgoing: [] }))
    await turns(5)
    expect(committed).to.deep.equal([])
    end()
    await Promise.all(added)
    expect(committed).to.deep.equal([3])
  })
})
