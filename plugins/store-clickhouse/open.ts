/**
 * Opens the log on ClickHouse; also resolves while the server is unavailable. Errors: `invalid_config` for an invalid
 * URL.
 */
import { join } from 'node:path'
import type { Store, StoreOptions } from '@gateway/contract'
import { readAddress } from './address.ts'
import { connect } from './connection.ts'
import { openDiskQueue } from './disk-queue.ts'
import { createLog } from './log.ts'
import { createWriter } from './writer.ts'

export async function openClickHouse(
  url: string,
  { directory, dataDirectory = directory, report }: StoreOptions,
): Promise<Store> {
  const address = readAddress(url)
  const connection = connect(address)
  const queue = await openDiskQueue(join(dataDirectory, 'clickhouse-queue'), address.queueBytes)
  const writer = createWriter({
    connection,
    queue,
    batchMs: address.batchMs,
    refused: (rows, error) => report(`ClickHouse refused ${rows} rows of the log, which are lost`, error),
    away: (error) => report('ClickHouse is unavailable; log entries are queued on disk', error),
  })
  return {
    log: createLog(connection, writer),
    ping: connection.ping,
    async close() {
      await writer.close()
      await connection.close()
    },
  }
}
