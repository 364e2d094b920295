/**
 * Writers for one output item of a stream. Each returns the events for added content and, on close, the last events
 * with the completed item.
 */
import type { Json, JsonObject } from '@gateway/contract'
import { createInputReader } from '@gateway/contract'
import { type ClientTool, writtenArguments } from './client-tools.ts'
import {
  annotationAdded,
  argumentsDelta,
  argumentsDone,
  inputDelta,
  inputDone,
  itemAdded,
  itemDone,
  type Place,
  partAdded,
  partDone,
  refusalDelta,
  refusalDone,
  summaryPartAdded,
  summaryPartDone,
  summaryTextDelta,
  summaryTextDone,
  textDelta,
  textDone,
} from './events.ts'
import {
  argumentsOf,
  callItem,
  clientCallItem,
  customCallItem,
  type ItemStatus,
  messageItem,
  reasoningItem,
  refusalPart,
  textPart,
} from './items.ts'
import type { CalledFunction } from './namespaces.ts'

export interface Closed {
  events: JsonObject[]
  item: JsonObject
}

export interface ReasoningWriter {
  open(): JsonObject[]
  /** `part` is the number of the thought. A new number starts a new part of the summary. */
  add(text: string, part: number): JsonObject[]
  close(blocks: readonly JsonObject[]): Closed
}

export function createReasoning(place: Place): ReasoningWriter {
  const summary: string[] = []
  let part: number | null = null

  const endPart = (): JsonObject[] => {
    const index = summary.length - 1
    const text = summary[index]
    if (part === null || text === undefined) return []
    return [summaryTextDone(place, index, text), summaryPartDone(place, index, text)]
  }

  return {
    open: () => [itemAdded(place, { id: place.id, type: 'reasoning', summary: [] })],
    add(text, number) {
      const begun = part === number ? [] : [...endPart(), summaryPartAdded(place, summary.length)]
      if (part !== number) summary.push('')
      part = number
      const index = summary.length - 1
      summary[index] += text
      return [...begun, summaryTextDelta(place, index, text)]
    },
    close(blocks) {
      const item = reasoningItem(place.id, summary, blocks)
      return { events: [...endPart(), itemDone(place, item)], item }
    },
  }
}

export interface MessageWriter {
  open(): JsonObject[]
  text(text: string, logprobs: JsonObject[]): JsonObject[]
  refusal(text: string): JsonObject[]
  annotation(annotation: JsonObject): JsonObject[]
  /** Ends the current part; the next text starts another. */
  endPart(): JsonObject[]
  close(status: ItemStatus): Closed
}

type OpenPart =
  | { kind: 'text'; text: string; annotations: JsonObject[]; logprobs: JsonObject[] }
  | { kind: 'refusal'; text: string }

export function createMessage(place: Place): MessageWriter {
  const content: JsonObject[] = []
  let open: OpenPart | null = null

  const endPart = (): JsonObject[] => {
    if (open === null) return []
    const index = content.length
    const { text } = open
    const part = open.kind === 'text' ? textPart(text, open.annotations, open.logprobs) : refusalPart(text)
    const done =
      open.kind === 'text'
        ? textDone(place, index, { text, logprobs: open.logprobs.map(bare) })
        : refusalDone(place, index, text)
    content.push(part)
    open = null
    return [done, partDone(place, index, part)]
  }

  const beginText = (): { part: OpenPart & { kind: 'text' }; events: JsonObject[] } => {
    if (open?.kind === 'text') return { part: open, events: [] }
    const ended = endPart()
    const part: OpenPart & { kind: 'text' } = { kind: 'text', text: '', annotations: [], logprobs: [] }
    open = part
    return { part, events: [...ended, partAdded(place, content.length, textPart('', [], []))] }
  }

  return {
    open: () => [itemAdded(place, messageItem(place.id, [], 'in_progress'))],
    text(text, logprobs) {
      const { part, events } = beginText()
      part.text += text
      part.logprobs.push(...logprobs)
      return text === ''
        ? events
        : [...events, textDelta(place, content.length, { delta: text, logprobs: logprobs.map(bare) })]
    },
    refusal(text) {
      const begun = open?.kind === 'refusal' ? [] : endPart()
      if (open?.kind !== 'refusal') {
        open = { kind: 'refusal', text: '' }
        begun.push(partAdded(place, content.length, refusalPart('')))
      }
      open.text += text
      return [...begun, refusalDelta(place, content.length, text)]
    },
    annotation(annotation) {
      const { part, events } = beginText()
      part.annotations.push(annotation)
      return [
        ...events,
        annotationAdded(place, content.length, { annotationIndex: part.annotations.length - 1, annotation }),
      ]
    },
    endPart,
    close(status) {
      const ended = endPart()
      const item = messageItem(place.id, content, status)
      return { events: [...ended, itemDone(place, item)], item }
    },
  }
}

/** Log probabilities in events have no bytes. */
function bare({ token, logprob, top_logprobs: top }: JsonObject): JsonObject {
  const listed = (Array.isArray(top) ? top : []).map((other) => withoutBytes(other))
  return { token, logprob, top_logprobs: listed }
}

function withoutBytes(token: Json): Json {
  if (typeof token !== 'object' || token === null || Array.isArray(token)) return token
  const { bytes: _, ...rest } = token
  return rest
}

export interface CallWriter {
  open(): JsonObject[]
  add(text: string): JsonObject[]
  close(status: ItemStatus): Closed
}

export function createCall(place: Place, callId: string, called: CalledFunction): CallWriter {
  let written = ''
  const itemOf = (text: string, status: ItemStatus) =>
    callItem(place.id, { callId, ...called, arguments: text }, status)
  return {
    open: () => [itemAdded(place, itemOf('', 'in_progress'))],
    add(text) {
      written += text
      return text === '' ? [] : [argumentsDelta(place, text)]
    },
    close(status) {
      const whole = argumentsOf(written)
      const item = itemOf(whole, status)
      const rest = written === whole ? [] : [argumentsDelta(place, whole)]
      return { events: [...rest, argumentsDone(place, called.name, whole), itemDone(place, item)], item }
    },
  }
}

/** Reads the input from the arguments of the function that represents the custom tool. */
export function createCustomCall(place: Place, callId: string, called: CalledFunction): CallWriter {
  const reader = createInputReader()
  let input = ''
  const itemOf = (text: string, status: ItemStatus) =>
    customCallItem(place.id, { callId, ...called, arguments: text }, status)
  const tell = (text: string) => {
    input += text
    return text === '' ? [] : [inputDelta(place, text)]
  }
  return {
    open: () => [itemAdded(place, itemOf('', 'in_progress'))],
    add: (text) => tell(reader.add(text)),
    close(status) {
      const rest = tell(reader.end())
      const item = itemOf(input, status)
      return { events: [...rest, inputDone(place, input), itemDone(place, item)], item }
    },
  }
}

/** A call that the client runs has structured members instead of text, so it is sent only when it is complete. */
export function createClientCall(place: Place, callId: string, tool: ClientTool): CallWriter {
  let written = ''
  const itemOf = (args: JsonObject, status: ItemStatus) =>
    clientCallItem(place.id, { tool, callId, args }, status)
  return {
    open: () => [itemAdded(place, itemOf({}, 'in_progress'))],
    add(text) {
      written += text
      return []
    },
    close(status) {
      const item = itemOf(writtenArguments(written), status)
      return { events: [itemDone(place, item)], item }
    },
  }
}
