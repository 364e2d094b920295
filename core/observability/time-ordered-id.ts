/** Ids in the order of their time (UUID version 7, RFC 9562): an index over them grows at its end, not everywhere. */
import { randomUUID } from 'node:crypto'

/** @param nowMs milliseconds since the epoch */
export function timeOrderedId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  // Behind the version a random UUID has what this one needs, variant included; node makes those in stock.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
