/** Span ids as defined by W3C Trace Context. */
import { randomFillSync } from 'node:crypto'

const idDigits = 16
const invalid = '0'.repeat(idDigits)
/** Random bytes are cheap when many are generated at once. */
const block = Buffer.alloc(2048)
let digits = ''
let position = 0

/** 16 hexadecimal digits; not a secret. */
export function createSpanId(): string {
  if (position === digits.length) {
    digits = randomFillSync(block).toString('hex')
    position = 0
  }
  position += idDigits
  const id = digits.slice(position - idDigits, position)
  return id === invalid ? createSpanId() : id
}
