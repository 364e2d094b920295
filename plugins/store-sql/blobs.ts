/** The port for blobs: cuts a source into pieces and reads it piece by piece. Errors: `not_found`. */
import { randomUUID } from 'node:crypto'
import { type BlobHead, type Blobs, GatewayError } from '@gateway/contract'
import type { BlobRows } from './blob-rows.ts'
import { toStoreError } from './guard.ts'

/** The size of all pieces of a blob but the last one. */
const pieceBytes = 256 * 1024

export function createBlobs(rows: BlobRows): Blobs {
  return {
    async put(key, source, created_at) {
      const uploadId = randomUUID()
      await rows.begin(uploadId)
      try {
        let position = 0
        let sizeBytes = 0
        for await (const piece of cut(source)) {
          await rows.append(uploadId, position, piece)
          position++
          sizeBytes += piece.length
        }
        return await rows.finish(uploadId, { key, sizeBytes, created_at })
      } catch (error) {
        // If this fails, the sweep removes it later.
        await rows.abandon(uploadId).catch(() => undefined)
        throw error
      }
    },
    async head(key) {
      const found = await rows.find(key)
      return found === null ? null : headOf(found)
    },
    async get(key, start = 0) {
      const found = await rows.find(key)
      return found === null ? null : readPieces(rows, found, start)
    },
    remove: (key) => rows.remove(key),
    list: (prefix, after, limit) => rows.list(prefix, after, limit),
  }
}

function headOf({ key, sizeBytes, created_at }: BlobHead): BlobHead {
  return { key, sizeBytes, created_at }
}

/** The same bytes in pieces of equal size, except the last. */
async function* cut(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const part of source) {
    held.push(part)
    heldBytes += part.length
    if (heldBytes < pieceBytes) continue
    const whole = Buffer.concat(held)
    let start = 0
    for (; whole.length - start >= pieceBytes; start += pieceBytes) {
      yield whole.subarray(start, start + pieceBytes)
    }
    held = [whole.subarray(start)]
    heldBytes = whole.length - start
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}

async function* readPieces(
  rows: BlobRows,
  { uploadId, sizeBytes }: BlobHead & { uploadId: string },
  start: number,
): AsyncIterable<Uint8Array> {
  let skipped = start % pieceBytes
  for (let position = Math.floor(start / pieceBytes); position * pieceBytes < sizeBytes; position++) {
    const piece = await rows.read(uploadId, position).catch((error: unknown) => {
      throw toStoreError(error)
    })
    if (piece === null) throw new GatewayError('not_found', 'The file was deleted while it was being read.')
    if (skipped < piece.length) yield piece.subarray(skipped)
    skipped = 0
  }
}
