/**
 * Streams of the audio and image endpoints: events with a `type`, one of which ends the answer. Some providers send
 * `[DONE]` after it.
 * Errors: `UpstreamFault` for an event with an error.
 */
import type { StreamTranslator } from '@gateway/contract'
import { parseEvent } from '../../parse-event.ts'
import { compatibleFault } from './errors.ts'

/**
 * A translator for one stream.
 * @param last the type of the event that ends the answer
 */
export function typedStream(last: string): StreamTranslator {
  let mayEnd = false
  return {
    event({ event, data }) {
      if (data.trim() === '[DONE]') return { chunks: [], done: true }
      const said = parseEvent(data)
      const fault = compatibleFault(said, event)
      if (fault !== null) throw fault
      const chunk = said.type === undefined && event !== null ? { type: event, ...said } : said
      if (chunk.type === last) mayEnd = true
      return { chunks: [chunk], done: false }
    },
    end: () => ({ chunks: [], done: mayEnd }),
  }
}
