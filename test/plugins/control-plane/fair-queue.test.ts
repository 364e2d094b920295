/** The queue of password checks: a share for each address. */
import { expect } from 'chai'
import { createFairQueue } from '#control-plane/people/fair-queue'

const refused = () => new Error('full')

/** A queue whose jobs end when the test says so, and the order in which they started. */
function create(bounds: { maxOfKey: number; maxOfAll: number }) {
  const queue = createFairQueue(bounds, refused)
  const started: string[] = []
  const ends: (() => void)[] = []
  const results: Promise<string>[] = []
  const add = (key: string, name: string) => {
    const job = queue
      .run(key, () => {
        started.push(name)
        return new Promise<string>((resolve) => ends.push(() => resolve('done')))
      })
      .catch((error: Error) => error.message)
    results.push(job)
    return job
  }
  /** Ends every job, in the order of their starts. */
  const finish = async () => {
    for (let turn = 0; turn < 1000; turn += 1) {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return Promise.all(results)
  }
  return { add, finish, started }
}

describe('a queue with shares', () => {
  it('serves a key with one job before the rest of a key with many', async () => {
    const { add, finish, started } = create({ maxOfKey: 200, maxOfAll: 300 })
    for (let index = 0; index < 130; index += 1) void add('office', `o${index}`)
    void add('home', 'h')
    await finish()
    expect(started.indexOf('h')).to.be.at.most(2)
    expect(started).to.have.lengthOf(131)
  })

  it('refuses jobs beyond a key’s share, and those of no other key', async () => {
    const { add, finish } = create({ maxOfKey: 32, maxOfAll: 512 })
    for (let index = 0; index < 130; index += 1) void add('office', `o${index}`)
    const other = add('home', 'h')
    const results = await finish()
    expect(results.filter((result) => result === 'full')).to.have.lengthOf(130 - 33)
    expect(await other).to.equal('done')
  })

  it('makes room for a key with few jobs when all shares together are full', async () => {
    const { add, finish } = create({ maxOfKey: 10, maxOfAll: 10 })
    for (let index = 0; index < 11; index += 1) void add('office', `o${index}`)
    const other = add('home', 'h')
    const results = await finish()
    expect(await other).to.equal('done')
    expect(results.filter((result) => result === 'full')).to.have.lengthOf(1)
  })

  it('continues after a job that fails', async () => {
    const queue = createFairQueue({ maxOfKey: 5, maxOfAll: 5 }, refused)
    const failed = queue
      .run('a', () => Promise.reject(new Error('broken')))
      .catch((error: Error) => error.message)
    const next = queue.run('b', async () => 'next')
    expect(await Promise.all([failed, next])).to.deep.equal(['broken', 'next'])
  })
})
