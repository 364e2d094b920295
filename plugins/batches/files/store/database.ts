/** Stores files as blobs of the store, for replicas without a shared disk. Errors: `store_unavailable`. */
import type { Blobs } from '@gateway/contract'
import type { FileStore } from './file-store.ts'

export const createDatabaseStore = (blobs: Blobs): FileStore => ({
  put: async (key, source) => (await blobs.put(keyOf(key), source)).sizeBytes,
  get: (key) => blobs.get(keyOf(key)),
  async remove(key) {
    await blobs.remove(keyOf(key))
  },
  // The store itself removes incomplete blobs.
  sweep: async () => undefined,
})

const prefix = 'files/'
const keyOf = (key: string) => prefix + key

/** The key of the file whose blob this is; null for other blobs. */
export const keyOfBlob = (blobKey: string): string | null =>
  blobKey.startsWith(prefix) ? blobKey.slice(prefix.length) : null
