/**
 * Finds the nearest vectors of a collection with one bit per member: its sign. Two vectors with similar directions
 * agree in most signs, so a scan of bits finds the few vectors whose members are worth comparing. 1536 members take 192
 * bytes.
 */

export interface SignRow {
  id: string
  /** One bit per member. */
  signs: Uint8Array
  /** Milliseconds since the epoch; null: never. */
  expires_at: number | null
}

/** The signs of a vector: bit 1 for a member above 0. */
export function signsOf(values: ArrayLike<number>): Uint8Array {
  const signs = new Uint8Array(Math.ceil(values.length / 8))
  for (let index = 0; index < values.length; index++) {
    if ((values[index] ?? 0) > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return signs
}

export class SignIndex {
  private readonly words: number
  private bits: Uint32Array
  private expiresAt: Float64Array
  private readonly ids: string[] = []
  private readonly slots = new Map<string, number>()

  /** @param bytes the size of each vector's signs */
  constructor(bytes: number) {
    this.words = Math.ceil(bytes / 4)
    this.bits = new Uint32Array(this.words * 64)
    this.expiresAt = new Float64Array(64)
  }

  get size(): number {
    return this.ids.length
  }

  /** Adds a vector, or replaces it. */
  put({ id, signs, expires_at }: SignRow): void {
    const slot = this.slots.get(id) ?? this.append(id)
    this.expiresAt[slot] = expires_at ?? Number.POSITIVE_INFINITY
    this.bits.set(this.wordsOf(signs), slot * this.words)
  }

  remove(id: string): void {
    const slot = this.slots.get(id)
    const last = this.ids.pop()
    if (slot === undefined || last === undefined) {
      if (last !== undefined) this.ids.push(last)
      return
    }
    this.slots.delete(id)
    if (last === id) return
    this.ids[slot] = last
    this.slots.set(last, slot)
    this.expiresAt[slot] = this.expiresAt[this.ids.length] ?? 0
    this.bits.copyWithin(slot * this.words, this.ids.length * this.words, (this.ids.length + 1) * this.words)
  }

  /** The ids whose signs differ least, up to a number; expired vectors are omitted. */
  nearest(signs: Uint8Array, most: number, nowMs: number): string[] {
    const wanted = this.wordsOf(signs)
    const distances = new Uint16Array(this.size)
    const counts = new Uint32Array(this.words * 32 + 1)
    for (let slot = 0; slot < this.size; slot++) {
      const distance = this.distance(wanted, slot)
      distances[slot] = distance
      if ((this.expiresAt[slot] ?? 0) > nowMs) counts[distance] = (counts[distance] ?? 0) + 1
    }
    const limit = reach(counts, most)
    const found: string[] = []
    // First all ids nearer than the limit, then as many at the limit as fit.
    for (const isNearer of [true, false]) {
      for (let slot = 0; slot < this.size && found.length < most; slot++) {
        const distance = distances[slot] ?? 0
        if ((isNearer ? distance < limit : distance === limit) && (this.expiresAt[slot] ?? 0) > nowMs) {
          found.push(this.ids[slot] ?? '')
        }
      }
    }
    return found
  }

  private distance(wanted: Uint32Array, slot: number): number {
    const { bits, words } = this
    const start = slot * words
    let distance = 0
    for (let word = 0; word < words; word++) {
      let bit = (bits[start + word] as number) ^ (wanted[word] as number)
      bit -= (bit >>> 1) & 0x55555555
      bit = (bit & 0x33333333) + ((bit >>> 2) & 0x33333333)
      distance += (((bit + (bit >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
    }
    return distance
  }

  private append(id: string): number {
    const slot = this.ids.push(id) - 1
    this.slots.set(id, slot)
    if (slot >= this.expiresAt.length) {
      const room = slot * 2
      this.bits = grown(this.bits, new Uint32Array(room * this.words))
      this.expiresAt = grown(this.expiresAt, new Float64Array(room))
    }
    return slot
  }

  private wordsOf(signs: Uint8Array): Uint32Array {
    const words = new Uint32Array(this.words)
    new Uint8Array(words.buffer).set(signs.subarray(0, this.words * 4))
    return words
  }
}

function grown<Values extends Uint32Array | Float64Array>(old: Values, made: Values): Values {
  made.set(old)
  return made
}

/** The smallest distance within which there are enough vectors. */
function reach(counts: Uint32Array, most: number): number {
  let sum = 0
  for (let distance = 0; distance < counts.length; distance++) {
    sum += counts[distance] ?? 0
    if (sum >= most) return distance
  }
  return counts.length
}
