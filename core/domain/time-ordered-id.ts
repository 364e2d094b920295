/** Ids that sort by their time. */
import { randomFillSync } from 'node:crypto'

/** UUID version 7 (RFC 9562). */
const form = 'tttttttt-tttt-7rrr-vrrr-rrrrrrrrrrrr'
const positionsOf = (letter: string) => [...form].flatMap((each, at) => (each === letter ? [at] : []))
const timeDigits = positionsOf('t').toReversed()
const randomDigits = positionsOf('r')
const variantDigit = form.indexOf('v')

const digits = Buffer.from('0123456789abcdef', 'latin1')
/** Random bytes, of which every id takes one for each of its random digits. */
const pool = Buffer.alloc(128 * (randomDigits.length + 1))
let used = pool.length

/** The last id. It is written in place, because joining its parts would allocate 1.5 kB of strings. */
const id = Buffer.from(form, 'latin1')

/** An id in the order of its time: an index over such ids grows only at its end. */
export function timeOrderedId(nowMs: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let time = nowMs
  for (const at of timeDigits) {
    id[at] = digits[time % 16] as number
    time = Math.floor(time / 16)
  }
  for (const at of randomDigits) id[at] = digits[(pool[used++] as number) % 16] as number
  id[variantDigit] = digits[8 + ((pool[used++] as number) % 4)] as number
  return id.toString('latin1')
}

/** The time of such an id, in milliseconds since the epoch; null for every other text. */
export function timeOfId(id: string): number | null {
  const written = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id)
  return written === null ? null : Number.parseInt(`${written[1]}${written[2]}`, 16)
}
