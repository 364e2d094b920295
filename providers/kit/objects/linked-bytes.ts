/**
 * The bytes at a signed URL, read in parts: no file is ever completely in memory. The request contains only the URL.
 */
import { GatewayError, type ProcedureContext } from '@gateway/contract'

const partBytes = 8 * 1_048_576
const timeoutMs = 120_000

/** Errors: 502 `upstream_invalid_response`. */
export async function* linkedBytes(
  url: string,
  { fetch }: Pick<ProcedureContext, 'fetch'>,
): AsyncGenerator<Buffer> {
  for (let from = 0; ; from += partBytes) {
    const range = `bytes=${from}-${from + partBytes - 1}`
    const { status, bytes, headers } = await fetch({
      method: 'GET',
      url,
      headers: { range },
      timeoutMs,
      maxBytes: partBytes,
    })
    // The last byte has been read.
    if (status === 416) return
    if (status !== 200 && status !== 206)
      throw new GatewayError('upstream_invalid_response', `The provider's storage answered ${status}.`)
    if (bytes.length > 0) yield bytes
    const whole = Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1])
    if (status === 200 || bytes.length < partBytes || from + partBytes >= whole) return
  }
}
