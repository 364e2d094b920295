/** Reads the lines of a file as a stream: LF or CRLF, with or without a line end after the last one. */

export interface InputLine {
  /** Counted from 1, including blank lines. */
  number: number
  /** Null for a line longer than the limit. */
  text: string | null
}

const newline = 10
const carriageReturn = 13
const byteOrderMark = /^\ufeff/

/** Blank lines are skipped but counted. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<InputLine> {
  let held: Buffer[] = []
  let heldBytes = 0
  let isTooLong = false
  let number = 1

  const hold = (piece: Buffer) => {
    heldBytes += piece.length
    if (heldBytes > maxLineBytes + 1) {
      isTooLong = true
      held = []
    } else if (piece.length > 0) held.push(piece)
  }
  const take = (): InputLine | null => {
    const line = isTooLong ? { number, text: null } : lineOf(number, held)
    number += 1
    held = []
    heldBytes = 0
    isTooLong = false
    return line
  }

  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      hold(chunk.subarray(start, end))
      start = end + 1
      const line = take()
      if (line !== null) yield line
    }
    // Copied, because a slice would keep the complete chunk in memory.
    if (start < chunk.length) hold(Buffer.from(chunk.subarray(start)))
  }
  const last = take()
  if (last !== null) yield last
}

/** Null for a blank line. */
function lineOf(number: number, held: readonly Buffer[]): InputLine | null {
  const [first] = held
  const whole = held.length === 1 && first !== undefined ? first : Buffer.concat(held)
  const end = whole.at(-1) === carriageReturn ? whole.length - 1 : whole.length
  const text = whole.toString('utf8', 0, end)
  const plain = number === 1 ? text.replace(byteOrderMark, '') : text
  return plain.trim() === '' ? null : { number, text: plain }
}
