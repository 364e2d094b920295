/** Ids that sort by their time. */
import { randomUUID } from 'node:crypto'

/** An id in the order of its time (UUID version 7, RFC 9562): an index over such ids grows only at its end. */
export function timeOrderedId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  // The rest, including the variant, comes from a random UUID, which Node pre-generates.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** The time of such an id, in milliseconds since the epoch; null for every other text. */
export function timeOfId(id: string): number | null {
  const written = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id)
  return written === null ? null : Number.parseInt(`${written[1]}${written[2]}`, 16)
}
