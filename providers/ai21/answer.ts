/**
 * Converts Jamba answers and streams to the compatible format, and adds members that the vendor leaves out.
 * Reference: https://docs.ai21.com/reference/jamba-api-response
 * Errors: `upstream_invalid_response` for an answer without choices; {@link UpstreamFault} for an event with an
 * error.
 */
import {
  type CallContext,
  GatewayError,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import {
  type ChatChoice,
  chatCompletion,
  chatUsage,
  chunkWriter,
  compatibleFault,
  countOf,
  type Finish,
  objectOf,
  objectsOf,
  parseEvent,
  type ToolCall,
  textOf,
} from '@gateway/provider-kit'

/** Converts an answer to a chat completion. */
export function ai21Answer(body: JsonObject, context: CallContext): JsonObject {
  if (!Array.isArray(body.choices)) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without choices.')
  }
  const choices = objectsOf(body.choices).map((choice) => readChoice(choice, context))
  return chatCompletion({ id: body.id, model: body.model, choices, usage: readUsage(body.usage) }, context)
}

function readChoice(choice: JsonObject, context: CallContext): ChatChoice {
  const message = objectOf(choice.message)
  const text = textOf(message.content)
  const calls = objectsOf(message.tool_calls).map((call) => readCall(call, context))
  return {
    content: text === '' && calls.length > 0 ? null : text,
    calls,
    finish: readFinish(choice.finish_reason, calls.length > 0),
  }
}

/** The reference shows arguments both as text and as an object. */
function readCall(call: JsonObject, context: CallContext): ToolCall {
  const { name, arguments: args } = objectOf(call.function)
  return {
    id: textOf(call.id) || context.id('call_'),
    name: textOf(name),
    arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }
}

function readFinish(given: Json | undefined, hasCalls: boolean): Finish {
  if (given === 'length') return { reason: 'length', given }
  return { reason: hasCalls || given === 'tool_calls' ? 'tool_calls' : 'stop', given }
}

function readUsage(given: Json | undefined): JsonObject {
  const usage = objectOf(given)
  return chatUsage({ prompt: countOf(usage.prompt_tokens), completion: countOf(usage.completion_tokens) })
}

/** A translator for one stream; it is complete with `[DONE]`. */
export function ai21Stream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  let usage: Json | undefined
  let callCount = 0

  function said(delta: JsonObject): JsonObject[] {
    const text = textOf(delta.content)
    const calls = objectsOf(delta.tool_calls).map((call) => readCall(call, context))
    return [
      ...(text === '' ? [] : [writer.delta({ content: text })]),
      ...calls.flatMap((call) => writer.call(callCount++, call)),
    ]
  }

  return {
    event({ data, event }) {
      if (data.trim() === '[DONE]') return { chunks: writer.usage(readUsage(usage)), done: true }
      const chunk = parseEvent(data)
      const fault = compatibleFault(chunk, event)
      if (fault !== null) throw fault
      usage = chunk.usage ?? usage
      const [choice = {}] = objectsOf(chunk.choices)
      const chunks = [...writer.begin(chunk.id, chunk.model), ...said(objectOf(choice.delta))]
      const { finish_reason: reason } = choice
      if (typeof reason !== 'string') return { chunks, done: false }
      return { chunks: [...chunks, writer.finish(readFinish(reason, callCount > 0))], done: false }
    },
    end: () => ({ chunks: [], done: false }),
  }
}
