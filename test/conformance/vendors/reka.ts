/** Reka. Source: https://docs.reka.ai/chat/overview */
import type { JsonObject } from '@gateway/contract'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

const rekaCalls = (said: Said) => said.calls.map(({ id, name, input }) => ({ id, name, parameters: input }))

interface RekaBodyOptions {
  key: string
  text: string
  finish: string | null
}

/** A message in a plain answer is a chunk in a stream. */
const rekaBody = (said: Said, { key, text, finish }: RekaBodyOptions): JsonObject => ({
  id: 'r1',
  model: 'test-model',
  responses: [
    {
      finish_reason: finish,
      [key]: {
        role: 'assistant',
        content: text,
        ...(finish === null || said.calls.length === 0 ? {} : { tool_calls: rekaCalls(said) }),
      },
    },
  ],
  usage: { input_tokens: said.usage.prompt, output_tokens: said.usage.completion },
})

export const reka: Vendor = {
  dialects: ['reka-chat'],
  lacks: ['schema'],
  whole: (said) => jsonAnswer(rekaBody(said, { key: 'message', text: said.text, finish: 'stop' })),
  // Every chunk contains all text so far.
  stream: (said) =>
    eventAnswer([
      ...said.pieces.map((_, index) =>
        rekaBody(said, { key: 'chunk', text: said.pieces.slice(0, index + 1).join(''), finish: null }),
      ),
      rekaBody(said, { key: 'chunk', text: said.text, finish: 'stop' }),
    ]),
  error: (status, message) => jsonAnswer({ detail: message }, status),
  heard({ request: { json } }) {
    const parts = listOf(member(json, 'messages')).flatMap((message) => listOf(member(message, 'content')))
    return {
      texts: textsIn(member(json, 'messages')),
      tools: listOf(member(json, 'tools')).map((tool) => String(member(tool, 'name'))),
      images: parts.flatMap((part) => {
        const url = member(part, 'image_url')
        return typeof url === 'string' ? [url] : []
      }),
    }
  },
}
