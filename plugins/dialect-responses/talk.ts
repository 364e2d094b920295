/** Reasoning and messages in a stream, one after another. Each one ends when another item begins. */
import { isObject, type JsonObject } from '@gateway/contract'
import { createBlocks, thoughtsOf } from '@gateway/contract/dialect'
import { textOf } from './answer.ts'
import type { Place } from './events.ts'
import { readAnnotation } from './items.ts'
import type { Output } from './output.ts'
import type { Ending } from './response-object.ts'
import { createMessage, createReasoning, type MessageWriter, type ReasoningWriter } from './writers.ts'

export interface Talk {
  /** The number of messages that have started. */
  messages(): number
  reasoning(delta: JsonObject): JsonObject[]
  message(delta: JsonObject, logprobs: JsonObject[]): JsonObject[]
  /** Adds a block that must be returned to the provider to a reasoning item. */
  carry(block: JsonObject): JsonObject[]
  /** Adds an empty message. */
  silence(): JsonObject[]
  /** Ends the open item. With an ending, also ends the stream. */
  end(ending?: Ending): JsonObject[]
}

type Open =
  | { kind: 'reasoning'; place: Place; writer: ReasoningWriter }
  | { kind: 'message'; place: Place; writer: MessageWriter }

export function createTalk(output: Output): Talk {
  const blocks = createBlocks()
  let open: Open | null = null
  let messages = 0

  const end = (ending?: Ending): JsonObject[] => {
    const ended = open
    open = null
    if (ended === null) return []
    const { place } = ended
    const status = ending === undefined ? 'completed' : output.statusAt(place, ending)
    return output.keep(
      place,
      ended.kind === 'reasoning' ? ended.writer.close(blocks.take()) : ended.writer.close(status),
    )
  }

  const toReasoning = (): { writer: ReasoningWriter; events: JsonObject[] } => {
    if (open?.kind === 'reasoning') return { writer: open.writer, events: [] }
    const ended = end()
    const place = output.take('rs')
    const writer = createReasoning(place)
    open = { kind: 'reasoning', place, writer }
    return { writer, events: [...ended, ...writer.open()] }
  }

  const toMessage = (): { writer: MessageWriter; events: JsonObject[] } => {
    if (open?.kind === 'message') return { writer: open.writer, events: [] }
    const ended = end()
    const place = output.take('msg')
    const writer = createMessage(place)
    open = { kind: 'message', place, writer }
    messages += 1
    return { writer, events: [...ended, ...writer.open()] }
  }

  return {
    messages: () => messages,
    reasoning(delta) {
      const thoughts = thoughtsOf(delta)
      const hasBlocks = blocks.add(delta)
      if (thoughts.length === 0 && !hasBlocks) return []
      const { writer, events } = toReasoning()
      return [...events, ...thoughts.flatMap(({ text, part }) => writer.add(text, part))]
    },
    message(delta, logprobs) {
      const text = textOf(delta.content)
      const refusal = typeof delta.refusal === 'string' ? delta.refusal : ''
      const given = Array.isArray(delta.annotations) ? delta.annotations : []
      const annotations = given.map(readAnnotation).filter(isObject)
      if (text === '' && refusal === '' && annotations.length === 0) return []
      const { writer, events } = toMessage()
      return [
        ...events,
        ...(text === '' ? [] : writer.text(text, logprobs)),
        ...annotations.flatMap((annotation) => writer.annotation(annotation)),
        ...(refusal === '' ? [] : writer.refusal(refusal)),
      ]
    },
    carry(block) {
      const { events } = toReasoning()
      blocks.carry(block)
      return events
    },
    silence() {
      const { writer, events } = toMessage()
      return [...events, ...writer.text('', [])]
    },
    end,
  }
}
