/** The body that the events of a stream make together, for the log; their text where they make none. */
import { isObject, type Json, parseJson } from '@gateway/contract'
import type { StreamFormat } from '../flow/stream-format.ts'
import { parseEvents } from './sse-splitter.ts'

export function sentBody(chunks: readonly Buffer[], format: StreamFormat): Json {
  const bytes = Buffer.concat(chunks)
  const events = parseEvents(bytes)
    .map(({ data }) => parseJson(data))
    .filter(isObject)
  try {
    return format.assemble(events)
  } catch (error) {
    // Events of another shape than the format's, such as those of a provider that says something of its own.
    if (!(error instanceof TypeError)) throw error
    return bytes.toString('utf8')
  }
}
