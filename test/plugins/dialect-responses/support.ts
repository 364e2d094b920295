/** Shared by tests of the responses dialect: a context with counted ids, chat answers, and their chunks. */
import type { JsonObject } from '@gateway/contract'
import type { ClientStream, DialectContext } from '@gateway/contract/dialect'

export const nowMs = 1_700_000_009_000
export const createdAt = 1_700_000_000

export function createContext(request: unknown = {}): DialectContext {
  let count = 0
  return {
    request: { model: 'm', input: 'hi', ...(request as JsonObject) },
    provider: 'test-provider',
    webSearch: null,
    parameters: new Set(),
    strict: true,
    leftOut: [],
    share: 1,
    now: () => nowMs,
    id: (prefix) => `${prefix}${++count}`,
  }
}

const chatUsage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
}

/** A chat answer with this message. */
export function chatAnswer(message: JsonObject, finish = 'stop', choice: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: createdAt,
    model: 'm-1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, ...message },
        finish_reason: finish,
        ...choice,
      },
    ],
    usage: chatUsage,
  }
}

/** Chunks with these deltas, followed by the end and the usage. */
export function chatChunks(deltas: readonly JsonObject[], finish: string | null = 'stop'): JsonObject[] {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: createdAt, model: 'm-1' }
  const chunk = (delta: JsonObject, reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    ...(finish === null ? [] : [chunk({}, finish)]),
    { ...head, choices: [], usage: chatUsage },
  ]
}

/** All events of a stream of these chunks. */
export const runStream = (stream: ClientStream, chunks: readonly JsonObject[]): JsonObject[] => [
  ...chunks.flatMap((chunk) => stream.chunk(chunk)),
  ...stream.end(),
]
