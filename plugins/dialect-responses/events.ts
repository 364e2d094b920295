/**
 * The events of a response stream, one function each. The sequence number is added last, by {@link createNumbering}.
 * Reference: https://www.openresponses.org/reference
 */
import type { Json, JsonObject } from '@gateway/contract'

/** The index and the id of an output item. */
export interface Place {
  index: number
  id: string
}

const at = ({ index, id }: Place) => ({ item_id: id, output_index: index })

export const itemAdded = ({ index }: Place, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
})

export const itemDone = ({ index }: Place, item: JsonObject): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})

export const partAdded = (place: Place, contentIndex: number, part: JsonObject): JsonObject => ({
  type: 'response.content_part.added',
  ...at(place),
  content_index: contentIndex,
  part,
})

export const partDone = (place: Place, contentIndex: number, part: JsonObject): JsonObject => ({
  type: 'response.content_part.done',
  ...at(place),
  content_index: contentIndex,
  part,
})

interface TextDeltaOptions {
  delta: string
  logprobs: JsonObject[]
}

export const textDelta = (
  place: Place,
  contentIndex: number,
  { delta, logprobs }: TextDeltaOptions,
): JsonObject => ({
  type: 'response.output_text.delta',
  ...at(place),
  content_index: contentIndex,
  delta,
  logprobs,
})

interface TextDoneOptions {
  text: string
  logprobs: JsonObject[]
}

export const textDone = (
  place: Place,
  contentIndex: number,
  { text, logprobs }: TextDoneOptions,
): JsonObject => ({
  type: 'response.output_text.done',
  ...at(place),
  content_index: contentIndex,
  text,
  logprobs,
})

interface AnnotationAddedOptions {
  annotationIndex: number
  annotation: JsonObject
}

export const annotationAdded = (
  place: Place,
  contentIndex: number,
  { annotationIndex, annotation }: AnnotationAddedOptions,
): JsonObject => ({
  type: 'response.output_text.annotation.added',
  ...at(place),
  content_index: contentIndex,
  annotation_index: annotationIndex,
  annotation,
})

export const refusalDelta = (place: Place, contentIndex: number, delta: string): JsonObject => ({
  type: 'response.refusal.delta',
  ...at(place),
  content_index: contentIndex,
  delta,
})

export const refusalDone = (place: Place, contentIndex: number, refusal: string): JsonObject => ({
  type: 'response.refusal.done',
  ...at(place),
  content_index: contentIndex,
  refusal,
})

export const argumentsDelta = (place: Place, delta: string): JsonObject => ({
  type: 'response.function_call_arguments.delta',
  ...at(place),
  delta,
})

export const argumentsDone = (place: Place, name: Json | undefined, written: string): JsonObject => ({
  type: 'response.function_call_arguments.done',
  ...at(place),
  name,
  arguments: written,
})

export const inputDelta = (place: Place, delta: string): JsonObject => ({
  type: 'response.custom_tool_call_input.delta',
  ...at(place),
  delta,
})

export const inputDone = (place: Place, input: string): JsonObject => ({
  type: 'response.custom_tool_call_input.done',
  ...at(place),
  input,
})

export const summaryPartAdded = (place: Place, summaryIndex: number): JsonObject => ({
  type: 'response.reasoning_summary_part.added',
  ...at(place),
  summary_index: summaryIndex,
  part: { type: 'summary_text', text: '' },
})

export const summaryTextDelta = (place: Place, summaryIndex: number, delta: string): JsonObject => ({
  type: 'response.reasoning_summary_text.delta',
  ...at(place),
  summary_index: summaryIndex,
  delta,
})

export const summaryTextDone = (place: Place, summaryIndex: number, text: string): JsonObject => ({
  type: 'response.reasoning_summary_text.done',
  ...at(place),
  summary_index: summaryIndex,
  text,
})

export const summaryPartDone = (place: Place, summaryIndex: number, text: string): JsonObject => ({
  type: 'response.reasoning_summary_part.done',
  ...at(place),
  summary_index: summaryIndex,
  part: { type: 'summary_text', text },
})

export const responseEvent = (
  name: 'created' | 'in_progress' | 'completed' | 'incomplete' | 'failed',
  response: JsonObject,
): JsonObject => ({ type: `response.${name}`, response })

/** Numbers the events of one stream, starting at 0. */
export function createNumbering(): (events: readonly JsonObject[]) => JsonObject[] {
  let next = 0
  return (events) => events.map((event) => ({ ...event, sequence_number: next++ }))
}
