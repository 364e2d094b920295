/** Blobs in this process's memory. Errors: `store_unavailable` when the limit is reached. */
import { type BlobHead, type Blobs, GatewayError } from '@gateway/contract'

export interface MemoryBlobsOptions {
  /** The limit for all blobs together; further ones are refused. Default 1 GiB. */
  maxBytes?: number
}

interface Blob extends BlobHead {
  bytes: Uint8Array
}

/** Blobs in memory, limited in bytes. */
export function createMemoryBlobs({ maxBytes = 2 ** 30 }: MemoryBlobsOptions = {}): Blobs {
  const blobs = new Map<string, Blob>()
  /** The bytes of stored blobs, and of those being written. */
  let heldBytes = 0

  function remove(key: string): boolean {
    heldBytes -= blobs.get(key)?.sizeBytes ?? 0
    return blobs.delete(key)
  }

  return {
    async put(key, source, created_at = Date.now()) {
      const parts: Uint8Array[] = []
      let sizeBytes = 0
      try {
        for await (const part of source) {
          if (heldBytes + part.length > maxBytes) {
            throw new GatewayError('store_unavailable', 'The in-memory store is full.')
          }
          heldBytes += part.length
          sizeBytes += part.length
          parts.push(Uint8Array.from(part))
        }
      } catch (error) {
        heldBytes -= sizeBytes
        throw error
      }
      remove(key)
      const blob = { key, sizeBytes, created_at, bytes: Buffer.concat(parts) }
      blobs.set(key, blob)
      return headOf(blob)
    },
    async head(key) {
      const blob = blobs.get(key)
      return blob === undefined ? null : headOf(blob)
    },
    async get(key, start = 0) {
      const blob = blobs.get(key)
      return blob === undefined ? null : read(blob.bytes, start)
    },
    async remove(key) {
      return remove(key)
    },
    async list(prefix, after, limit) {
      return [...blobs.values()]
        .filter(({ key }) => key.startsWith(prefix) && (after === null || key > after))
        .sort((left, right) => (left.key < right.key ? -1 : 1))
        .slice(0, limit)
        .map(headOf)
    },
  }
}

function headOf({ key, sizeBytes, created_at }: Blob): BlobHead {
  return { key, sizeBytes, created_at }
}

async function* read(bytes: Uint8Array, start: number): AsyncIterable<Uint8Array> {
  if (start < bytes.length) yield Uint8Array.from(bytes.subarray(start))
}
