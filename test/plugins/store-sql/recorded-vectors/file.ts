/** The file of recorded vectors: one signed byte for each dimension, one vector behind another. */
import { readFileSync } from 'node:fs'

export const dimensions = 512
export const vectorsFile = new URL(
  '../../../../../test/plugins/store-sql/recorded-vectors/vectors.bin',
  import.meta.url,
)

/** Scaled so that the largest member is 127: only the direction of a vector matters. */
export function quantise(vector: readonly number[]): Buffer {
  const largest = Math.max(...vector.map(Math.abs)) || 1
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * 127)).buffer)
}

/** All vectors of the file, in the form that an embedding model returns. */
export function readVectors(): number[][] {
  const bytes = readFileSync(vectorsFile)
  const members = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: members.length / dimensions }, (_, row) =>
    Array.from(members.subarray(row * dimensions, (row + 1) * dimensions)),
  )
}
