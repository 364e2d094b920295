/** Numbers of shared names in the log: names of many one-time callers do not fill the memory. */
import { expect } from 'chai'
import { createLogNames } from '#store-sql/log/names'
import { upgrade } from '#store-sql/upgrade'
import { forEachEngine } from './engines.ts'

/** Far from the numbers that a database assigns. */
const firstNumber = 1_000_000
const count = 20_000

forEachEngine('names of the log', (open) => {
  it('are cached up to a few thousand, the most recent ones, and looked up when they were evicted', async () => {
    const [database] = await open()
    await upgrade(database)
    const names = createLogNames(database.engine)
    for (let at = 0; at < count; at += 1) names.keep(new Map([[`name-${at}`, firstNumber + at]]))
    const number = async (at: number) =>
      (await names.number(database.read, [`name-${at}`])).get(`name-${at}`) ?? 0
    for (const at of [count - 1, count - 1000]) expect(await number(at)).to.equal(firstNumber + at)
    for (const at of [0, count / 2]) expect(await number(at)).to.be.below(firstNumber)
  })

  it('stay cached while they are used', async () => {
    const [database] = await open()
    await upgrade(database)
    const names = createLogNames(database.engine)
    const used = new Map([['used', firstNumber]])
    names.keep(used)
    for (let at = 1; at < count; at += 1) {
      names.keep(new Map([[`name-${at}`, firstNumber + at]]))
      if (at % 1000 === 0) expect(await names.number(database.read, ['used'])).to.deep.equal(used)
    }
  })
})
