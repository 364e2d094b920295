/**
 * Converts the lines of a native chat stream to chat completion chunks, with one translator per stream. A stream is
 * complete only with the line that contains `done`. Calls arrive complete.
 * Reference: https://docs.ollama.com/api/streaming, https://docs.ollama.com/api/errors
 * Errors: {@link UpstreamFault} for a line with an error.
 */
import {
  type CallContext,
  type JsonObject,
  type StreamTranslator,
  type Translated,
  UpstreamFault,
} from '@gateway/contract'
import { chunkWriter } from '../../chat/chunks.ts'
import { objectOf, textOf } from '../../chat/values.ts'
import { parseEvent } from '../../parse-event.ts'
import { durationsOf, readCalls, readEnd, unifiedLogprobs, unifiedUsage } from './parts.ts'

/** A translator for one stream. */
export function ollamaStream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  let callCount = 0

  function said(line: JsonObject): JsonObject[] {
    const message = objectOf(line.message)
    const [thinking, text] = [textOf(message.thinking), textOf(message.content)]
    const probabilities = unifiedLogprobs(line.logprobs)
    const members: JsonObject = probabilities === null ? {} : { logprobs: probabilities }
    return [
      ...(context.strict || thinking === ''
        ? []
        : [writer.delta({ content_blocks: [{ index: 0, type: 'thinking', thinking }] })]),
      ...(text === '' ? [] : [writer.delta({ content: text }, members)]),
      ...readCalls(message, context).flatMap((call) => writer.call(callCount++, call)),
    ]
  }

  function ended(line: JsonObject): JsonObject[] {
    const last = writer.finish(readEnd(line, callCount > 0))
    return [{ ...last, ...durationsOf(line, context) }, ...writer.usage(unifiedUsage(line))]
  }

  return {
    event({ data }): Translated {
      const line = parseEvent(data)
      throwError(line)
      const done = line.done === true
      return {
        chunks: [...writer.begin(undefined, line.model), ...said(line), ...(done ? ended(line) : [])],
        done,
      }
    },
    end: () => ({ chunks: [], done: false }),
  }
}

function throwError({ error }: JsonObject): void {
  if (error === undefined || error === null) return
  const message = textOf(error) || textOf(objectOf(error).message)
  const fault = { status: 502, type: 'upstream_error', param: null, code: 'upstream_error' }
  throw new UpstreamFault({ ...fault, message: message || 'The provider ended the stream with an error.' })
}
