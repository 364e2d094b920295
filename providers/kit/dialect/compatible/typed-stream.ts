/**
 * Streams of the audio and image routes: events with a `type`, of which one says that the answer is complete. Some
 * providers send `[DONE]` behind it, and some do not.
 * Errors: `UpstreamFault` for an event that carries an error.
 */
import type { StreamTranslator } from '@gateway/contract'
import { parseEvent } from '../../parse-event.ts'
import { compatibleFault } from './errors.ts'

/**
 * A translator for one stream.
 * @param last the type of the event after which the stream may end
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
