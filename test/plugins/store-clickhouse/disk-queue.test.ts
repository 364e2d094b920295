/** The queue on disk of log entries that ClickHouse has not accepted yet, without a server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { type DiskQueue, openDiskQueue } from '#store-clickhouse/disk-queue'

const maxBytes = 1000
const all = { rows: 100, bytes: 100_000 }

describe("ClickHouse's queue on disk", () => {
  let directory: string
  let queue: DiskQueue
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-queue-'))
    queue = await openDiskQueue(directory, maxBytes)
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  const add = (bytes: number) => queue.add('entries', ['x'.repeat(bytes - 1)], { isDurable: true })

  it('is not empty after a batch that was added while batches were claimed', async () => {
    for (let round = 0; round < 20; round++) {
      const [early] = await Promise.all([queue.claim(all), add(10)])
      expect(queue.isEmpty()).to.equal(false)
      const batches = [...early, ...(await queue.claim(all))]
      expect(batches).to.have.length(1)
      for (const batch of batches) await batch.remove()
      expect(queue.isEmpty()).to.equal(true)
    }
  })

  it('keeps its limit while batches are claimed', async () => {
    await Promise.all([add(600), queue.claim(all)])
    const refused = await add(600).catch((error: unknown) => error)
    expect(isGatewayError(refused) && refused.code).to.equal('store_unavailable')
  })

  it('does not count a batch that could not be written', async () => {
    await rm(directory, { recursive: true })
    expect(await add(600).catch(() => 'failed')).to.equal('failed')
    expect(queue.isEmpty()).to.equal(true)
  })
})
