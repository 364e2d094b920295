/** A failed start closes the stores that it opened. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pino from 'pino'
import { openGateway } from '#core/boot/open-gateway'
import { useRealThreads } from '../../support/threads.ts'

describe('a start that fails', () => {
  useRealThreads()
  let directory: string
  let taken: Server
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-failed-'))
    taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    taken.close()
    await rm(directory, { recursive: true, force: true })
  })

  const faultOf = async (
    config: object,
    port: number,
    environment: Record<string, string> = {},
  ): Promise<unknown> => {
    const configPath = join(directory, 'gateway.json')
    await writeFile(configPath, JSON.stringify(config))
    return openGateway({
      configPath,
      flags: { host: '127.0.0.1', port },
      environment: {
        GATEWAY_ADMIN_KEY: 'test-admin-key-0123456789',
        GATEWAY_DATA_DIR: directory,
        ...environment,
      },
      log: pino({ level: 'silent' }),
      logRequest: () => undefined,
      printKey: () => undefined,
    }).then(
      () => null,
      (error: unknown) => error,
    )
  }
  // SQLite removes its write-ahead files when the last connection is closed.
  const openFiles = async () => (await readdir(directory)).filter((name) => /-(wal|shm)$/.test(name))
  const portOf = (server: Server) => (server.address() as AddressInfo).port

  it("prints the store's error and its file", async () => {
    const path = join(directory, 'no-database.db')
    await writeFile(path, 'not a database, '.repeat(1000))
    const fault = await faultOf({}, 0, { GATEWAY_STORE_URL: `sqlite:${path}` })
    expect(String(fault)).to.include(`SQLite cannot use ${path} or the log next to it (SQLITE_NOTADB: `)
  })

  it('does not keep an admin key that was never printed', async () => {
    const folder = join(directory, 'unseen')
    const environment = { GATEWAY_ADMIN_KEY: '', GATEWAY_DATA_DIR: folder }
    expect(await faultOf({}, portOf(taken), environment)).to.include({ code: 'EADDRINUSE' })
    expect(await readdir(folder))
      .to.include('gateway.db')
      .and.not.include('admin-key.sha256')
  })

  it('closes its stores when the port is taken', async () => {
    expect(await faultOf({}, portOf(taken))).to.include({ code: 'EADDRINUSE' })
    expect(await openFiles()).to.deep.equal([])
  })

  it('closes its stores when the metrics port is taken', async () => {
    expect(await faultOf({ server: { metrics_port: portOf(taken) } }, 0)).to.include({ code: 'EADDRINUSE' })
    expect(await openFiles()).to.deep.equal([])
  })

  it('closes the store that is open when another store cannot be opened', async () => {
    const environment = { GATEWAY_LOGS_URL: 'sqlite:/dev/null/no-folder/log.db' }
    expect(await faultOf({}, 0, environment)).to.be.instanceOf(Error)
    expect(await openFiles()).to.deep.equal([])
  })
})
