/** Ids in the order of their time (UUID version 7, RFC 9562): an index over them grows at its end, not everywhere. */
import { randomFillSync } from 'node:crypto'

const random = Buffer.alloc(10)
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** @param nowMs milliseconds since the epoch */
export function timeOrderedId(nowMs: number): string {
  randomFillSync(random)
  const time = hex(nowMs, 12)
  const high = hex((random.readUInt16BE(0) & 0x0fff) | 0x7000, 4)
  const low = hex((random.readUInt16BE(2) & 0x3fff) | 0x8000, 4)
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${random.toString('hex', 4)}`
}
