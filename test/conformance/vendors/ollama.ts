/** Ollama's native formats. Source: https://docs.ollama.com/api/chat and …/embed */
import type { JsonObject } from '@gateway/contract'
import { jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

/** Calls with their input as an object. */
const ollamaCalls = (said: Said) =>
  said.calls.map(({ name, input }) => ({ function: { name, arguments: input } }))

const ollamaLine = (message: JsonObject, rest: JsonObject = {}): JsonObject => ({
  model: 'test-model',
  created_at: '2025-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...rest,
})

const ollamaEnd = ({ usage: { prompt, completion } }: Said): JsonObject => ({
  done: true,
  done_reason: 'stop',
  prompt_eval_count: prompt,
  eval_count: completion,
})

export const ollamaChat: Vendor = {
  dialects: ['ollama-chat'],
  hasNoCallIds: true,
  whole: (said) =>
    jsonAnswer(ollamaLine({ content: said.text, tool_calls: ollamaCalls(said) }, ollamaEnd(said))),
  stream: (said) => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    pieces: [
      ...said.pieces.map((content) => ollamaLine({ content })),
      ...ollamaCalls(said).map((call) => ollamaLine({ tool_calls: [call] })),
      ollamaLine({}, ollamaEnd(said)),
    ].map((line) => Buffer.from(`${JSON.stringify(line)}\n`)),
  }),
  error: (status, message) => jsonAnswer({ error: message }, status),
  heard({ request: { json } }) {
    const messages = listOf(member(json, 'messages'))
    return {
      texts: textsIn(messages.map((message) => member(message, 'content'))),
      tools: listOf(member(json, 'tools')).map((tool) => String(member(tool, 'function', 'name'))),
      images: messages.flatMap((message) => listOf(member(message, 'images')).map(String)),
      schema: member(json, 'format'),
    }
  },
}

export const ollamaEmbed: Vendor = {
  dialects: ['ollama:embed'],
  whole: (said) =>
    jsonAnswer({ model: 'test-model', embeddings: said.vectors, prompt_eval_count: said.usage.prompt }),
  error: (status, message) => jsonAnswer({ error: message }, status),
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}
