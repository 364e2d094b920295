/** The log on ClickHouse: the suite of all engines that keep one, in two processes that share a database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports, Store } from '@gateway/contract'
import clickHouse from '@gateway/store-clickhouse'
import { type ClickHouseServer, isClickHouseInstalled, startClickHouse } from '../support/clickhouse.ts'
import { describeLog } from './stores/log.ts'

type LogStore = Store & Pick<Ports, 'log'>

if (isClickHouseInstalled()) {
  describe('the store on ClickHouse', () => {
    let directory: string
    let server: ClickHouseServer
    let stores: LogStore[] = []
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gateway-store-'))
      server = await startClickHouse()
      const url = server.createDatabase()
      const options = {
        directory,
        report: (message: string, error: unknown) => console.log(message, error),
      }
      const opened = await Promise.all([clickHouse.open(url, options), clickHouse.open(url, options)])
      stores = opened as LogStore[]
    })
    after(async () => {
      for (const store of stores) await store.close()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    })

    describeLog('on ClickHouse', async () => stores.map(({ log }) => log))
  })
} else {
  console.log('left out: the store on ClickHouse, because the package chdb is not installed here')
}
