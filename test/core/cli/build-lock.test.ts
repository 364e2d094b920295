/** Builds of a checkout that several commands start at the same time. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

type WithBuildLock = (build: () => Promise<void>, lock: string) => Promise<void>
const script = new URL('../../../../core/cli/bin/build-lock.js', import.meta.url).href

describe('a build lock', () => {
  let withBuildLock: WithBuildLock
  let directory: string
  let lock: string

  before(async () => {
    withBuildLock = ((await import(script)) as { withBuildLock: WithBuildLock }).withBuildLock
  })
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-build-lock-'))
    lock = join(directory, 'dist', '.building')
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  it('lets one build run at a time, and is released after each', async () => {
    let running = 0
    let most = 0
    const build = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
    }
    await Promise.all([1, 2, 3].map(() => withBuildLock(build, lock)))
    expect(most).to.equal(1)
    expect(existsSync(lock)).to.equal(false)
  })

  it('is released after a build that failed', async () => {
    const failed = await withBuildLock(() => Promise.reject(new Error('disk full')), lock).catch(String)
    expect(failed).to.equal('Error: disk full')
    expect(existsSync(lock)).to.equal(false)
  })

  it('of a killed build does not stop the next one', async () => {
    await withBuildLock(async () => undefined, lock)
    const { pid } = spawnSync(process.execPath, ['--version'])
    await writeFile(lock, String(pid))
    let isBuilt = false
    await withBuildLock(async () => {
      isBuilt = true
    }, lock)
    expect(isBuilt).to.equal(true)
  })

  it('does not stop the next build when its process id now belongs to another process', async () => {
    await withBuildLock(async () => undefined, lock)
    await writeFile(lock, String(process.pid))
    const longAgo = new Date(Date.now() - 3_600_000)
    await utimes(lock, longAgo, longAgo)
    let isBuilt = false
    await withBuildLock(async () => {
      isBuilt = true
    }, lock)
    expect(isBuilt).to.equal(true)
  })
})
