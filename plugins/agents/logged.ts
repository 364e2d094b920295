/** Bodies of agents, which pass byte for byte, as the log keeps them. */
import { isDeeperThan, type Json, parseJson, type ServiceCallRecord } from '@gateway/contract'

/** Of one answer. */
const maxBytes = 1_048_576

/** Of JSON: what is nested deeper cannot be written again. */
const maxDepth = 100

/** JSON of a bounded depth; undefined for everything else. */
export function readBounded(bytes: Buffer): Json | undefined {
  const parsed = parseJson(bytes.toString('utf8'))
  return isDeeperThan(parsed, maxDepth) ? undefined : (parsed as Json | undefined)
}

/** JSON where it is, else its text. */
export const readLogged = (body: Buffer): Json => readBounded(body) ?? body.toString('utf8')

/** The same bytes; what came of them, up to a bound, is the record's response. */
export async function* logged(
  record: ServiceCallRecord,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      if (size < maxBytes) kept.push(chunk.subarray(0, maxBytes - size))
      size += chunk.length
      yield chunk
    }
  } finally {
    record.response = readLogged(Buffer.concat(kept))
  }
}
