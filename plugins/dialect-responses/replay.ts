/**
 * Splits a response into stream events, and assembles a response from events, for checks and mutators that need the
 * whole response, and for streaming a stored response.
 */
import { customArguments, isObject, type Json, type JsonObject } from '@gateway/contract'
import { createNumbering, itemAdded, itemDone, type Place, responseEvent } from './events.ts'
import { readFunction } from './namespaces.ts'
import { createCall, createCustomCall, createMessage, createReasoning } from './writers.ts'

/** The events of this response; none for other bodies. */
export function replayResponse(response: JsonObject): JsonObject[] {
  if (!Array.isArray(response.output)) return []
  const { completed_at: _, ...opening } = response
  const begun = { ...opening, status: 'in_progress', incomplete_details: null, output: [], usage: null }
  const items = response.output.filter(isObject)
  const ending = ['incomplete', 'failed'].find((status) => status === response.status) ?? 'completed'
  return createNumbering()([
    responseEvent('created', begun),
    responseEvent('in_progress', begun),
    ...items.flatMap(replayItem),
    responseEvent(ending as 'completed' | 'incomplete' | 'failed', response),
  ])
}

function replayItem(item: JsonObject, index: number): JsonObject[] {
  const place = { index, id: textOf(item.id) }
  const { events } = writeItem(item, place) ?? { events: [itemAdded(place, item), itemDone(place, item)] }
  // The item without the members that are streamed.
  return events.map((event) => (event.type === 'response.output_item.done' ? { ...event, item } : event))
}

function writeItem(item: JsonObject, place: Place): { events: JsonObject[] } | null {
  if (item.type === 'function_call') {
    const writer = createCall(place, textOf(item.call_id), readFunction(item))
    const told = [...writer.open(), ...writer.add(textOf(item.arguments))]
    return { events: [...told, ...writer.close('completed').events] }
  }
  if (item.type === 'custom_tool_call') {
    const writer = createCustomCall(place, textOf(item.call_id), readFunction(item))
    const told = [...writer.open(), ...writer.add(customArguments(textOf(item.input)))]
    return { events: [...told, ...writer.close('completed').events] }
  }
  if (item.type === 'reasoning' && !Array.isArray(item.content)) {
    const writer = createReasoning(place)
    const told = listOf(item.summary).flatMap((part, number) => writer.add(textOf(part.text), number))
    return { events: [...writer.open(), ...told, ...writer.close([]).events] }
  }
  return item.type === 'message' ? writeMessage(item, place) : null
}

function writeMessage(item: JsonObject, place: Place): { events: JsonObject[] } {
  const writer = createMessage(place)
  const told = listOf(item.content).flatMap((part) => {
    if (part.type === 'refusal') return [...writer.refusal(textOf(part.refusal)), ...writer.endPart()]
    const said = writer.text(textOf(part.text), listOf(part.logprobs))
    const cited = listOf(part.annotations).flatMap((annotation) => writer.annotation(annotation))
    return [...said, ...cited, ...writer.endPart()]
  })
  return { events: [...writer.open(), ...told, ...writer.close('completed').events] }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

const endings = ['response.completed', 'response.incomplete', 'response.failed']

/** The response of a stream, from its last event or assembled from its items. */
export function gatherResponse(events: readonly JsonObject[]): JsonObject {
  const last = events.findLast(({ type }) => typeof type === 'string' && endings.includes(type))
  if (last !== undefined && isObject(last.response)) return last.response
  const first = events.find(({ response }) => isObject(response))
  const output: JsonObject[] = []
  for (const event of events) {
    if (event.type === 'response.output_item.done' && isObject(event.item))
      output[typeof event.output_index === 'number' ? event.output_index : output.length] = event.item
  }
  return { ...(isObject(first?.response) ? first.response : {}), output: output.filter(isObject) }
}
