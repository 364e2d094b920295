/**
 * Converts Reka answers and streams to the compatible format. A streamed chunk contains all text so far; a stream is
 * complete with the chunk that has a finish reason.
 * Reference: https://docs.reka.ai/chat/overview, https://github.com/reka-ai/reka-sdk-python
 * Errors: `upstream_invalid_response` for an answer without responses; {@link UpstreamFault} for an event with an
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
export function rekaAnswer(body: JsonObject, context: CallContext): JsonObject {
  const [response] = objectsOf(body.responses)
  if (response === undefined) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without responses.')
  }
  const message = objectOf(response.message)
  const text = readText(message.content)
  const calls = readCalls(message, context)
  const finish = readFinish(response.finish_reason, calls.length > 0)
  const content = text === '' && calls.length > 0 ? null : text
  const usage = readUsage(body.usage)
  return chatCompletion(
    { id: body.id, model: body.model, choices: [{ content, calls, finish }], usage },
    context,
  )
}

function readText(content: Json | undefined): string {
  return (
    textOf(content) ||
    objectsOf(content)
      .map((part) => textOf(part.text))
      .join('')
  )
}

function readCalls(message: JsonObject, context: CallContext): ToolCall[] {
  return objectsOf(message.tool_calls).map((call) => ({
    id: textOf(call.id) || context.id('call_'),
    name: textOf(call.name),
    arguments: JSON.stringify(objectOf(call.parameters)),
  }))
}

/** `context` means that the conversation fills the model's context window. */
function readFinish(given: Json | undefined, hasCalls: boolean): Finish {
  if (given === 'length' || given === 'context') return { reason: 'length', given }
  return { reason: hasCalls ? 'tool_calls' : 'stop', given: given ?? undefined }
}

function readUsage(given: Json | undefined): JsonObject {
  const usage = objectOf(given)
  return chatUsage({
    prompt: countOf(usage.input_tokens),
    completion: countOf(usage.output_tokens),
    reasoning: typeof usage.reasoning_tokens === 'number' ? usage.reasoning_tokens : undefined,
  })
}

/** A translator for one stream. */
export function rekaStream(context: CallContext): StreamTranslator {
  const writer = chunkWriter(context)
  let whole = ''
  let callCount = 0

  function said(message: JsonObject): JsonObject[] {
    const text = readText(message.content)
    // Text that does not start with the previous text is an increment.
    const added = text.startsWith(whole) ? text.slice(whole.length) : text
    whole += added
    const calls = readCalls(message, context).slice(callCount)
    return [
      ...(added === '' ? [] : [writer.delta({ content: added })]),
      ...calls.flatMap((call) => writer.call(callCount++, call)),
    ]
  }

  return {
    event({ data, event }) {
      const body = parseEvent(data)
      const fault = compatibleFault(body, event)
      if (fault !== null) throw fault
      const [response = {}] = objectsOf(body.responses)
      const chunks = [...writer.begin(body.id, body.model), ...said(objectOf(response.chunk))]
      const { finish_reason: reason } = response
      if (typeof reason !== 'string' || reason === '') return { chunks, done: false }
      const last = [writer.finish(readFinish(reason, callCount > 0)), ...writer.usage(readUsage(body.usage))]
      return { chunks: [...chunks, ...last], done: true }
    },
    end: () => ({ chunks: [], done: false }),
  }
}
