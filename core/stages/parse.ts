/**
 * The inference body: read once, within the size limits, and checked against the endpoint's schema.
 * Errors: 400 `invalid_json`, `invalid_body` and `invalid_file` (every broken path), 413, 415.
 */

import { readRequest, sourceOf } from '../endpoints/body/read-request.ts'
import { checkBody } from '../endpoints/body/validate-body.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Next } from '../flow/stage.ts'

export async function parse(exchange: Exchange, next: Next): Promise<void> {
  const endpoint = required(exchange.endpoint, 'endpoint')
  const read = await readRequest(exchange, endpoint)
  const { body } = read
  checkBody(endpoint, body, read.sizeBytes, read.faults)
  exchange.body = body
  exchange.record.asked = body
  exchange.source = sourceOf(read)
  exchange.files = read.files
  exchange.raw = read.raw
  await next(exchange)
}
