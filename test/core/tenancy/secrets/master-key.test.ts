/** The master key is created once, readable only by its owner, and the same for all processes that start together. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { masterKeyPath, openMasterKey } from '#core/tenancy/secrets/master-key'

describe('the master key', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'master-key-'))
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  it('is created at the first start, readable only by its owner, and kept', async () => {
    const made = await openMasterKey(null, directory)
    expect(made).to.have.length(32)
    expect((await stat(masterKeyPath(directory))).mode & 0o777).to.equal(0o600)
    expect(await openMasterKey(null, directory)).to.deep.equal(made)
  })

  it('is the same for all processes that start at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => openMasterKey(null, directory)))
    expect(new Set(made.map((key) => key.toString('hex'))).size).to.equal(1)
  })

  it('from the environment is used unchanged, and no file is written', async () => {
    const given = Buffer.alloc(32, 7)
    expect(await openMasterKey(given, directory)).to.equal(given)
    const written = await readFile(masterKeyPath(directory)).catch(
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(written).to.equal('ENOENT')
  })

  it('in an invalid format is refused with its path', async () => {
    await writeFile(masterKeyPath(directory), 'too short\n')
    const error = await openMasterKey(null, directory).catch((fault: Error) => fault)
    expect(error).to.be.an('error')
    expect((error as Error).message)
      .to.contain(masterKeyPath(directory))
      .and.to.contain('32 bytes')
  })
})
