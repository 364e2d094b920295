/** Collects the body of an upstream's answer. Errors: `upstream_invalid_response`. */
import { GatewayError } from '@gateway/contract'
import type { UpstreamAnswer } from '../flow/upstream.ts'

/**
 * The whole body; a larger one than `maxBytes` (decoded) ends the connection.
 * Errors: `upstream_invalid_response` when it is larger or was cut short; the reason of the call's signal.
 */
export async function readBody(answer: UpstreamAnswer, maxBytes: number): Promise<Buffer> {
  const { body } = answer
  const chunks: Buffer[] = []
  let bytes = Number(answer.headers['content-length'] ?? 0)
  if (bytes > maxBytes) throw tooLarge(answer)
  bytes = 0
  for (let step = await body.next(); step.done !== true; step = await body.next()) {
    bytes += step.value.length
    if (bytes > maxBytes) throw tooLarge(answer)
    chunks.push(step.value)
  }
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes)
}

/** A body as text, without the byte order mark that some servers begin with: JSON does not know it. */
export function bodyText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

const byteOrderMark = 0xfeff

function tooLarge(answer: UpstreamAnswer): GatewayError {
  answer.body.destroy()
  return new GatewayError('upstream_invalid_response', 'The answer of the provider is too large.')
}
