/**
 * Streams of one JSON value per line (application/x-ndjson) as events without a name.
 * Errors: `upstream_invalid_response` for a line that is too long.
 */
import { GatewayError, type StreamEvent } from '@gateway/contract'

const maxLineBytes = 32 * 1_048_576

/** Splits bytes at line breaks; empty lines are skipped, and the last line needs no line break. */
export async function* jsonLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent, void, undefined> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  for await (const chunk of bytes) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)])
        .toString('utf8')
        .trim()
      pending = []
      pendingBytes = 0
      start = end + 1
      if (line !== '') yield { event: null, data: line }
    }
    const rest = chunk.subarray(start)
    pending.push(rest)
    pendingBytes += rest.length
    if (pendingBytes > maxLineBytes) {
      throw new GatewayError('upstream_invalid_response', 'The provider sent a line that is too long.')
    }
  }
  const last = Buffer.concat(pending).toString('utf8').trim()
  if (last !== '') yield { event: null, data: last }
}
