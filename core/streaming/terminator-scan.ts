/** Whether a format's marks stand in bytes: asked of every chunk, and nearly always answered with no. */
import type { StreamFormat } from '../flow/stream-format.ts'

/** In longer bytes several searches are faster than one for all marks together. */
const longBytes = 4096

const patterns = new WeakMap<StreamFormat, RegExp>()

/** Whether the bytes have any mark of their end, of an error, or of usage. */
export function hasMark(bytes: Buffer, format: StreamFormat): boolean {
  if (bytes.length <= longBytes) return patternOf(format).test(bytes.toString('latin1'))
  const stands = (mark: Buffer) => bytes.includes(mark)
  return format.marks.some(stands) || format.usageMarks.some(stands)
}

function patternOf(format: StreamFormat): RegExp {
  const known = patterns.get(format)
  if (known !== undefined) return known
  const texts = [...format.marks, ...format.usageMarks].map((mark) => mark.toString('latin1'))
  const pattern = new RegExp(texts.map((text) => text.replace(/[^\w"]/g, '\\$&')).join('|'))
  patterns.set(format, pattern)
  return pattern
}
