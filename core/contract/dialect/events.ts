/**
 * Server-sent events as bytes, and the errors that they contain.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import { UpstreamFault } from '../errors.ts'
import type { JsonObject } from '../json.ts'

/** An event as bytes. */
export const writeEvent = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

/** The event's name, written as `event: NAME` before its data. */
export const writeNamedEvent = (name: string, event: JsonObject): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(event)}\n\n`)

/** Reads an upstream's error object. The status is 502 if the object has none. */
export function faultOf(error: JsonObject): UpstreamFault {
  const { message, type, param, code, status } = error
  const named = [status, code].find((value) => typeof value === 'number' && value >= 400 && value <= 599)
  return new UpstreamFault({
    status: typeof named === 'number' ? named : 502,
    message: typeof message === 'string' ? message : 'The provider ended the stream with an error.',
    type: typeof type === 'string' ? type : 'upstream_error',
    param: typeof param === 'string' ? param : null,
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : 'upstream_error',
  })
}
