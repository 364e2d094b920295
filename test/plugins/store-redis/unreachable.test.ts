/** A store on a Redis server that cannot be reached. */
import redis from '@gateway/store-redis'
import { expect } from 'chai'
import { freePort } from '../../support/free-port.ts'

describe('Redis that cannot be reached', () => {
  it('is reported when the store is opened', async () => {
    const reports: string[] = []
    const store = await redis.open(`redis://127.0.0.1:${await freePort()}`, {
      directory: '.',
      report: (message) => void reports.push(message),
    })
    await store.close()
    expect(reports).to.deep.equal(['Redis is not available yet'])
  })
})
