/** A dialect's context with a fixed clock and counted ids, and helpers that call the dialect of messages. */
import type { JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import { messagesDialect } from '#dialect-messages/dialect'

export function dialectContext(
  request: JsonObject = {},
  options: Partial<DialectContext> = {},
): DialectContext {
  let count = 0
  return {
    request,
    provider: 'test-provider',
    webSearch: null,
    parameters: new Set(['thinking']),
    strict: true,
    leftOut: [],
    share: 1,
    now: () => 1_700_000_000_500,
    id: (prefix) => `${prefix}${++count}`,
    ...options,
  }
}

const smallest = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }

/** The chat request of a Messages request: the smallest one, with these fields. */
export function chatRequestOf(fields: object, options: Partial<DialectContext> = {}): JsonObject {
  const body = { ...smallest, ...fields } as JsonObject
  return messagesDialect.request(body, dialectContext(body, options))
}

/** The message of a chat answer with this choice. */
export function messageOf(choice: object, rest: object = {}, request: object = {}): JsonObject {
  const body = {
    id: 'chatcmpl-7',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, finish_reason: 'stop', ...choice }],
    usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
    ...rest,
  }
  const asked = { ...smallest, ...request } as JsonObject
  return messagesDialect.answer(body as JsonObject, dialectContext(asked))
}

/** The events that these chunks become. Without `[DONE]`, the stream stays open. */
export function messageEventsOf(
  chunks: readonly object[],
  isDone = true,
  { request = {}, strict = true }: { request?: object; strict?: boolean } = {},
): JsonObject[] {
  const asked = { ...smallest, ...request } as JsonObject
  const stream = messagesDialect.stream(dialectContext(asked, { strict }))
  const events = chunks.flatMap((chunk) => stream.chunk(chunk as JsonObject))
  return isDone ? [...events, ...stream.end()] : events
}

/** A chat chunk with this delta. */
export const chunkOf = (delta: object, finish: string | null = null): JsonObject =>
  ({
    id: 'chatcmpl-7',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }) as JsonObject
