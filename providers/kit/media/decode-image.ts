/**
 * The `decode` of a dialect for answers that are either the bytes of an image or JSON. Bytes become `{images:
 * [base64], headers}`.
 * Errors: `upstream_invalid_response` for anything else.
 */
import { GatewayError, type JsonObject } from '@gateway/contract'
import { parseObject } from '../chat/values.ts'

/** Reads an answer's body. */
export function decodeImage(bytes: Buffer, headers: Readonly<Record<string, string>>): JsonObject {
  const type = headers['content-type'] ?? ''
  const body = /\bjson\b/i.test(type) ? parseObject(bytes.toString('utf8')) : null
  if (body !== null) return body
  if (/^(image\/|application\/octet-stream)/i.test(type)) {
    return { images: [bytes.toString('base64')], headers: { ...headers } }
  }
  throw new GatewayError('upstream_invalid_response', 'The provider returned an answer that is not an image.')
}
