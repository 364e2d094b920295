/** Seals the summary of a compaction in a stream before the caller receives it. */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { StateSeal } from '@gateway/contract/dialect'
import { asksForCompaction, sealSummaries } from './compaction.ts'

const field = 'data: '
const mark = '"type":"compaction"'

/** Returns null unless the request is a compaction, because only that has a summary. */
export function sealEvents(request: JsonObject, seal: StateSeal): ((events: Buffer) => Buffer) | null {
  return asksForCompaction(request) ? sealing((body) => sealSummaries(body, seal)) : null
}

/** @param seal returns the body with sealed summaries, or the same body if it has none */
function sealing(seal: (body: JsonObject) => JsonObject): (events: Buffer) => Buffer {
  // The response repeats the item and must have the same seal.
  let item: JsonObject | null = null

  const sealEvent = (event: JsonObject): JsonObject => {
    if (isObject(event.item)) {
      const [sealed] = outputOf(seal({ output: [event.item] }))
      if (sealed === undefined || sealed === event.item) return event
      item = sealed
      return { ...event, item }
    }
    if (!isObject(event.response)) return event
    const own = item
    if (own === null) return { ...event, response: seal(event.response) }
    const output = outputOf(event.response).map((each) => (each.id === own.id ? own : each))
    return { ...event, response: { ...event.response, output } }
  }

  const sealLine = (line: string): string => {
    const event = line.startsWith(field) && line.includes(mark) ? parseJson(line.slice(field.length)) : null
    return isObject(event) ? field + JSON.stringify(sealEvent(event)) : line
  }

  return (events) => {
    if (!events.includes(mark)) return events
    return Buffer.from(events.toString('utf8').split('\n').map(sealLine).join('\n'))
  }
}

const outputOf = ({ output }: JsonObject): JsonObject[] =>
  Array.isArray(output) ? output.filter(isObject) : []
