/**
 * Prevents a second gateway from using a SQLite store. The lock is an exclusive transaction on a small database next to
 * the store: the system releases it when the process dies for any reason. A file with a pid would not work, because in
 * containers every process has pid 1. https://www.sqlite.org/lockingv3.html
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import process from 'node:process'
import { GatewayError, type StoreLock } from '@gateway/contract'
import { SqliteDriver } from './sqlite-driver.ts'

/** Locks the store at `path`. Errors: `conflict` naming the process that has the lock. */
export function lockFile(path: string): StoreLock {
  const lockPath = `${path}.lock`
  const ownerPath = `${path}.lock-owner`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(lockPath, 'a', 0o600))
  const driver = new SqliteDriver(lockPath, { timeoutMs: 0 })
  try {
    driver.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    driver.close()
    if (!isBusy(error)) throw error
    throw new GatewayError(
      'conflict',
      `Another gateway runs on the store ${path}${ownerOf(ownerPath)}. Stop it, or set GATEWAY_DATA_DIR to another folder for this one. To run several processes on one store, use --workers.`,
    )
  }
  writeFileSync(ownerPath, `process ${process.pid} on ${hostname()}\n`, { mode: 0o600 })
  return {
    release() {
      rmSync(ownerPath, { force: true })
      driver.close()
    },
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

/** Only for the message: the owner may have ended in the meantime. */
function ownerOf(path: string): string {
  try {
    return ` (${readFileSync(path, 'utf8').trim()})`
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
