/**
 * Stores files in a directory: written to a temporary file and renamed when complete. Errors: `store_unavailable`.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GatewayError, systemReason } from '@gateway/contract'
import type { FileStore } from './file-store.ts'

/** An upload that is incomplete after this time is abandoned. */
const abandonedMs = 86_400_000
const unfinished = 'unfinished'
const readBytes = 262_144

export function createDiskStore(directory: string): FileStore {
  const pathOf = (key: string) => join(directory, key)
  return {
    async put(key, source) {
      const path = pathOf(key)
      const partial = join(directory, unfinished, randomUUID())
      try {
        await mkdir(dirname(partial), { recursive: true, mode: 0o700 })
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      } catch (error) {
        throw unavailable(error)
      }
      try {
        const bytes = await write(partial, source)
        await rename(partial, path).catch((error: unknown) => Promise.reject(unavailable(error)))
        return bytes
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
    },
    async get(key) {
      const path = pathOf(key)
      const found = await stat(path).catch((error: unknown) => orMissing(error))
      return found === null ? null : createReadStream(path, { highWaterMark: readBytes })
    },
    async remove(key) {
      await rm(pathOf(key), { force: true }).catch((error: unknown) => Promise.reject(unavailable(error)))
    },
    async sweep(nowMs) {
      const folder = join(directory, unfinished)
      const names = (await readdir(folder).catch((error: unknown) => orMissing(error))) ?? []
      for (const name of names) {
        const found = await stat(join(folder, name)).catch((error: unknown) => orMissing(error))
        if (found !== null && nowMs - found.mtimeMs > abandonedMs)
          await rm(join(folder, name), { force: true })
      }
    },
  }
}

/** Errors of the source pass through; those of the disk become errors of the store. */
async function write(path: string, source: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => Promise.reject(unavailable(error)))
  let bytes = 0
  try {
    for await (const chunk of source) {
      await file.writeFile(chunk).catch((error: unknown) => Promise.reject(unavailable(error)))
      bytes += chunk.length
    }
    await file.sync().catch((error: unknown) => Promise.reject(unavailable(error)))
  } finally {
    await file.close()
  }
  return bytes
}

function orMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw unavailable(error)
}

const unavailable = (cause: unknown) =>
  new GatewayError(
    'store_unavailable',
    "The file store is not available: files.dir could not be read or written. The gateway's log has the cause.",
    { cause, storeFault: systemReason(cause) },
  )
