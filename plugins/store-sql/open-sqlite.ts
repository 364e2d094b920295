/** Opens the embedded store: two files in a separate thread, where fsync does not delay requests. */
import nodePath, { type PlatformPath } from 'node:path'
import { GatewayError, type Store, type StoreLock, type StoreOptions } from '@gateway/contract'
import { freeLeases } from './free-leases.ts'
import { toStoreError } from './guard.ts'
import { lockFile } from './lock-file.ts'
import { createPorts } from './ports.ts'
import { startWorker } from './worker-client.ts'

const inMemory = ':memory:'

/** @param url `sqlite:PATH`, relative to the store's directory */
export async function openSqliteStore(url: string, options: StoreOptions): Promise<Store> {
  const path = pathOf(url, options.directory)
  const worker = await startWorker({ mainPath: path, logPath: logPathOf(path) }, options)
  const { parts, watch } = worker
  const ports = createPorts({ main: parts, log: parts, watch, report: options.report })
  return {
    ...ports,
    ping: () => parts.health.ping(),
    async close() {
      ports.shared.stop()
      await worker.close()
    },
  }
}

/**
 * Null for a store in memory, which no other process can open. All processes that held leases have ended when the lock
 * is taken, so their leases are freed, independent of the clock.
 */
export function lockSqliteStore(
  url: string,
  { directory }: Pick<StoreOptions, 'directory'>,
): StoreLock | null {
  const path = pathOf(url, directory)
  if (path === inMemory) return null
  const lock = lockFile(path)
  try {
    freeLeases(path)
    return lock
  } catch (error) {
    lock.release()
    throw toStoreError(error)
  }
}

/**
 * The path in a URL; `sqlite:///C:/data/gateway.db` has the drive of Windows after its slashes.
 * @param system the paths of the system on which it runs
 */
export function pathOf(url: string, directory: string, system: PlatformPath = nodePath): string {
  const written = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
  const path = system.sep === '\\' ? written.replace(/^\/(?=[A-Za-z]:[\\/])/, '') : written
  if (path === '' || path.includes('\0')) {
    throw new GatewayError('invalid_config', 'The SQLite URL is invalid. Use sqlite:PATH.')
  }
  return path === inMemory || system.isAbsolute(path) ? path : system.join(directory, path)
}

/** The path of the log's file: `gateway-logs.db` for `gateway.db`. */
function logPathOf(path: string): string {
  if (path === inMemory) return path
  return /\.[^./\\]+$/.test(path) ? path.replace(/(\.[^./\\]+)$/, '-logs$1') : `${path}-logs`
}
