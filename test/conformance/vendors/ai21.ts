/** AI21. Source: https://docs.ai21.com/reference/jamba-api-response */
import type { JsonObject } from '@gateway/contract'
import { compatibleChat, usageOf } from './compatible.ts'
import { eventAnswer, jsonAnswer, type Vendor } from './vendor.ts'

const ai21Chunk = (delta: JsonObject, rest: JsonObject = {}, finish_reason: string | null = null) => ({
  id: 'c1',
  choices: [{ index: 0, delta, finish_reason }],
  ...rest,
})

/** A subset of the compatible format. Calls are streamed whole, and the usage is in the last chunk. */
export const ai21: Vendor = {
  ...compatibleChat,
  dialects: ['ai21-chat'],
  lacks: ['images', 'schema'],
  stream: (said) =>
    eventAnswer([
      ai21Chunk({ role: 'assistant' }),
      ...said.pieces.map((content) => ai21Chunk({ content })),
      ...said.calls.map(({ id, name, input }) =>
        ai21Chunk({
          tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
        }),
      ),
      ai21Chunk({}, { usage: usageOf(said) }, said.calls.length > 0 ? 'tool_calls' : 'stop'),
      '[DONE]',
    ]),
  error: (status, message) => jsonAnswer({ detail: message }, status),
}
