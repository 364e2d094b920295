/**
 * Writes JSON directly into a growing buffer. Building a string from many pieces costs far more: V8 joins the pieces before
 * it encodes them, and each piece becomes garbage.
 */

export interface ByteWriter {
  raw(piece: Uint8Array): void
  /** Text that is already JSON. */
  text(json: string): void
  /** A JSON string. */
  quoted(text: string): void
  /** ASCII text that is already JSON, such as digits. */
  ascii(json: string): void
  /** The last digits of a whole number below 2^31, with leading zeros. */
  digits(value: number, count: number): void
  /** The written bytes. A writer that reuses this memory overwrites them. */
  written(): Buffer
}

/** The most bytes of a UTF-16 unit in UTF-8. */
const maxUnitBytes = 3
/** Longer strings are written by `JSON.stringify`. */
const maxShort = 128
const quote = 0x22
const backslash = 0x5c
const space = 0x20
const delete_ = 0x7f
const zero = 0x30

/** @param memory a buffer whose memory is reused, or the initial size in bytes */
export function createByteWriter(memory: Buffer | number): ByteWriter {
  let bytes = typeof memory === 'number' ? Buffer.allocUnsafeSlow(memory) : Buffer.from(memory.buffer)
  let length = 0

  function reserve(count: number): void {
    if (length + count <= bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(length + count, bytes.length * 2))
    bytes.copy(larger, 0, 0, length)
    bytes = larger
  }

  function text(json: string): void {
    reserve(json.length * maxUnitBytes)
    length += bytes.write(json, length)
  }

  /** Writes a string if it is short and only has ASCII characters that need no escape; returns false otherwise. */
  function short(value: string): boolean {
    const count = value.length
    if (count > maxShort) return false
    reserve(count + 2)
    const to = bytes
    let at = length
    to[at++] = quote
    for (let index = 0; index < count; index += 1) {
      const unit = value.charCodeAt(index)
      if (unit < space || unit >= delete_ || unit === quote || unit === backslash) return false
      to[at++] = unit
    }
    to[at++] = quote
    length = at
    return true
  }

  return {
    raw(piece) {
      reserve(piece.length)
      bytes.set(piece, length)
      length += piece.length
    },
    text,
    quoted(value) {
      if (!short(value)) text(JSON.stringify(value))
    },
    ascii(json) {
      const count = json.length
      reserve(count)
      const to = bytes
      const from = length
      for (let index = 0; index < count; index += 1) to[from + index] = json.charCodeAt(index)
      length += count
    },
    digits(value, count) {
      reserve(count)
      const to = bytes
      let rest = value
      for (let at = length + count - 1; at >= length; at -= 1) {
        // Integer division, which is faster than Math.floor.
        const tens = (rest / 10) | 0
        to[at] = zero + rest - tens * 10
        rest = tens
      }
      length += count
    },
    written: () => bytes.subarray(0, length),
  }
}
