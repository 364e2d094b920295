/** The lines of a file, split at "\n" only: JSON may contain other characters that count as line separators. */
import { createReadStream } from 'node:fs'
import { GatewayError } from '@gateway/contract'

const chunkBytes = 2 ** 20
/** Log entries contain bodies, which are bounded far below this. */
const longestLine = 2 ** 28

/** Errors: `invalid_file` for an unterminated line, and file system errors. */
export async function* readLines(path: string): AsyncIterable<string> {
  let held = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: chunkBytes })) {
    let from = held.length
    held += String(chunk)
    let start = 0
    for (let end = held.indexOf('\n', from); end !== -1; end = held.indexOf('\n', from)) {
      yield held.slice(start, end)
      start = end + 1
      from = start
    }
    held = held.slice(start)
    if (held.length > longestLine)
      throw new GatewayError('invalid_file', 'The file contains a line that is too long.')
  }
  if (held !== '') yield held
}
