/** The queue on disk of log entries that ClickHouse has not accepted yet, without a server. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
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

  it('leaves no part of a batch that the disk has no room for', async function () {
    // A limit of the process, which Windows does not have, refuses what does not fit, as a full disk does.
    if (process.platform === 'win32') this.skip()
    const script = `const { openDiskQueue } = await import(process.argv[1])
      const queue = await openDiskQueue(process.argv[2], 1e9)
      const adding = queue.add('entries', ['x'.repeat(1e6)], { isDurable: false })
      console.log(await adding.then(() => 'queued', ({ code }) => code))`
    const { stdout } = await promisify(execFile)('sh', [
      ...['-c', 'ulimit -f 100 && exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script],
      ...[import.meta.resolve('#store-clickhouse/disk-queue'), directory],
    ])
    expect(stdout.trim()).to.equal('EFBIG')
    expect(await readdir(directory)).to.deep.equal([])
  })
})
