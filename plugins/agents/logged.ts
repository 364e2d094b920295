/** Bodies of agents, which are forwarded unchanged, in the form for the log. */
import { isDeeperThan, type Json, parseJson, type ServiceCallRecord } from '@gateway/contract'

/** The limit for one answer. */
const maxBytes = 1_048_576

/** The deepest nesting of logged JSON: deeper JSON cannot be serialized. */
const maxDepth = 100

/** JSON of limited depth, or undefined. */
export function readBounded(bytes: Buffer): Json | undefined {
  const parsed = parseJson(bytes.toString('utf8'))
  return isDeeperThan(parsed, maxDepth) ? undefined : (parsed as Json | undefined)
}

/** The body as JSON if it is JSON, otherwise as text. */
export const readLogged = (body: Buffer): Json => readBounded(body) ?? body.toString('utf8')

/** Yields the same bytes and stores them, up to a limit, as the record's response. */
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
