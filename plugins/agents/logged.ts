/** Bodies of agents, which pass byte for byte, as the log keeps them. */
import type { Json, ServiceCallRecord } from '@gateway/contract'

/** Of one answer. */
const maxBytes = 1_048_576

/** JSON where it is, else its text. */
export function readLogged(body: Buffer): Json {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

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
