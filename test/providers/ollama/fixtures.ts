/**
 * Translates through the native dialect of Ollama, with the parts that most cases share filled in.
 * Shapes: https://docs.ollama.com/api/chat
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { ollamaDialect } from '@gateway/provider-kit'
import type { ChatResponse } from '#kit/dialect/ollama/types'
import { type ContextOptions, createContext } from '../fixtures/context.ts'

export const model = 'qwen3:8b'
const settings = { provider: 'ollama' }

/** The native request of a chat request. Default message: Hi. */
export function requestOf(body: JsonObject, options: ContextOptions = {}): JsonObject {
  const request = { model, messages: [{ role: 'user', content: 'Hi' }], ...body }
  return ollamaDialect.request(request, createContext({ settings, ...options, request }))
}

/** The members of the request in addition to model, messages and `stream: false`. */
export function restOf(body: JsonObject, options: ContextOptions = {}): JsonObject {
  const { model: _, messages: __, stream: ___, ...rest } = requestOf(body, options)
  return rest
}

/** The `messages` of a native request. */
export function messagesOf(messages: JsonObject[], options: ContextOptions = {}): unknown {
  return requestOf({ messages }, options).messages
}

type Line = Omit<ChatResponse, 'created_at' | 'message'> & { message: JsonObject }

/** A line with this part of a message. */
export function lineOf(message: JsonObject, more: Partial<Line> = {}): JsonObject {
  const said = { role: 'assistant', content: '', ...message }
  const line = { model, created_at: '2026-01-01T00:00:00Z', message: said, done: false, ...more }
  // The vendor's types have no index signature, which is all that this changes.
  return JSON.parse(JSON.stringify(line)) as JsonObject
}

/** The metrics of the last line; durations are nanoseconds. */
export const metrics = {
  done: true,
  done_reason: 'stop',
  total_duration: 900,
  load_duration: 100,
  prompt_eval_count: 26,
  prompt_eval_duration: 200,
  eval_count: 298,
  eval_duration: 600,
} satisfies Partial<Line>

/** A whole answer, not streamed. */
export function answerOf(
  message: JsonObject,
  more: Partial<Line> = {},
  options: ContextOptions = {},
): JsonObject {
  const request = { model, ...options.request }
  return ollamaDialect.answer(
    lineOf(message, { ...metrics, ...more }),
    createContext({ ...options, request }),
  )
}

/** A line as returned by the framing. */
export const eventOf = (line: JsonObject): StreamEvent => ({ event: null, data: JSON.stringify(line) })

/** The message of the first choice. */
export function messageOf(answer: JsonObject): JsonObject {
  const [choice] = answer.choices as JsonObject[]
  return choice?.message as JsonObject
}

export const weather: JsonObject = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** A tool call as an assistant message carries it. */
export function callOf(id: string, name: string, args: string): JsonObject {
  return { id, type: 'function', function: { name, arguments: args } }
}
