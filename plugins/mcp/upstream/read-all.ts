/** Reads a complete body within a size limit. Errors: `upstream_invalid_response`. */
import { GatewayError } from '@gateway/contract'

export async function readAll(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) {
      throw new GatewayError(
        'upstream_invalid_response',
        `The upstream sent an answer larger than ${maxBytes} bytes.`,
      )
    }
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}
