/**
 * Converts chat events to chunks: `{response}`, `{tool_calls}` and `{usage}` of older models, or chunks of the
 * compatible format. `[DONE]` ends both.
 * Reference: https://developers.cloudflare.com/workers-ai/models/ (each model's own page)
 * Errors: {@link UpstreamFault} for an event with an error.
 */
import {
  type CallContext,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import {
  type ChoiceWriter,
  chunkWriter,
  objectOf,
  objectsOf,
  opening,
  parseEvent,
  textOf,
} from '@gateway/provider-kit'
import { streamCalls } from './calls.ts'
import { responseText } from './chat-answer.ts'
import { finishOf, usageOf } from './finish.ts'
import { throwFailure } from './result.ts'

/** A translator for one stream. */
export function chatStream(context: CallContext): StreamTranslator {
  const write = chunkWriter(context)
  const choices = new Map<number, StreamChoice>()
  let usage: Json | undefined

  /** A choice's chunks; the first one contains the role. */
  function say(index: number, event: JsonObject, read: (choice: StreamChoice) => JsonObject[]): JsonObject[] {
    const known = choices.get(index)
    const writer = write.choice(index)
    const choice = known ?? streamChoice(writer, context)
    choices.set(index, choice)
    if (known === undefined && choices.size === 1) write.name(event.id, event.model)
    return [...(known === undefined ? [writer.delta(opening)] : []), ...read(choice)]
  }

  function read(event: JsonObject): JsonObject[] {
    throwFailure(event)
    if (isObject(event.usage)) usage = event.usage
    const given = objectsOf(event.choices)
    const isNative = given.length === 0 && speakers.some((name) => event[name] !== undefined)
    const parts = isNative ? [nativeChoice(event)] : given
    return parts.flatMap((part) =>
      say(typeof part.index === 'number' ? part.index : 0, event, (choice) => choice.read(part)),
    )
  }

  function end(): JsonObject[] {
    const indices = choices.size === 0 ? [0] : [...choices.keys()]
    const finished = indices.flatMap((index) => say(index, {}, (choice) => choice.end(usage)))
    return [...finished, ...(usage === undefined ? [] : write.usage(usageOf(usage)))]
  }

  return {
    event({ data }) {
      if (data.trim() === '[DONE]') return { chunks: end(), done: true }
      return { chunks: read(parseEvent(data)), done: false }
    },
    end: () => ({ chunks: [], done: false }),
  }
}

/** Members of an older model's event with content. */
const speakers = ['response', 'tool_calls', 'finish_reason']

function nativeChoice({ response, tool_calls, finish_reason }: JsonObject): JsonObject {
  return { index: 0, delta: { content: responseText(response) ?? '', tool_calls }, finish_reason }
}

interface StreamChoice {
  read(choice: JsonObject): JsonObject[]
  /** The chunks that end the choice. */
  end(usage: Json | undefined): JsonObject[]
}

/** A choice ends with the stream: then the usage gives the finish reason if the model itself does not. */
function streamChoice(write: ChoiceWriter, context: CallContext): StreamChoice {
  const calls = streamCalls(write, context)
  let given: Json | undefined
  return {
    read({ delta, logprobs, finish_reason }) {
      const { role: _, content, tool_calls, ...rest } = objectOf(delta)
      if (finish_reason !== undefined && finish_reason !== null && finish_reason !== '') given = finish_reason
      const text = textOf(content)
      const isSaid = text !== '' || Object.values(rest).some((value) => value !== null && value !== '')
      const part = { ...(text === '' ? {} : { content: text }), ...rest }
      return [
        ...(isSaid ? [write.delta(part, { logprobs: logprobs ?? null })] : []),
        ...calls.add(tool_calls),
      ]
    },
    end(usage) {
      const hasCalls = calls.count() > 0
      return [...calls.end(), write.finish(finishOf({ given, hasCalls, usage, request: context.request }))]
    },
  }
}
