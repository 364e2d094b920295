/** Opens the embedded store: two files, each in a thread of its own, so that no fsync holds up a request. */
import { isAbsolute, join } from 'node:path'
import { GatewayError, type Store, type StoreOptions } from '@gateway/core/contract'
import type { LogPart, MainPart } from './parts.ts'
import { createPorts } from './ports.ts'
import { startWorker } from './worker-client.ts'

const inMemory = ':memory:'

/** @param url `sqlite:PATH`, relative to the store's directory */
export async function openSqliteStore(url: string, { directory, report }: StoreOptions): Promise<Store> {
  const path = pathOf(url, directory)
  const started = await Promise.allSettled([
    startWorker<MainPart>({ path, part: 'main' }, report),
    startWorker<LogPart>({ path: logPathOf(path), part: 'log' }, report),
  ])
  const [main, log] = started
  if (main.status === 'rejected' || log.status === 'rejected') {
    for (const one of started) if (one.status === 'fulfilled') await one.value.close()
    throw main.status === 'rejected' ? main.reason : (log as PromiseRejectedResult).reason
  }
  const ports = createPorts({
    main: main.value.parts,
    log: log.value.parts,
    watch: main.value.watch,
    report,
  })
  return {
    ...ports,
    async ping() {
      await main.value.parts.health.ping()
      await log.value.parts.health.ping()
    },
    async close() {
      ports.shared.stop()
      await main.value.close()
      await log.value.close()
    },
  }
}

function pathOf(url: string, directory: string): string {
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === '' || path.includes('\0')) {
    throw new GatewayError('invalid_config', 'The SQLite URL cannot be read; it is sqlite:PATH.')
  }
  return path === inMemory || isAbsolute(path) ? path : join(directory, path)
}

/** Beside it: `gateway-logs.db` for `gateway.db`. */
function logPathOf(path: string): string {
  if (path === inMemory) return path
  return /\.[^./\\]+$/.test(path) ? path.replace(/(\.[^./\\]+)$/, '-logs$1') : `${path}-logs`
}
