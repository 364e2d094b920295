/**
 * Cohere API v2. Source: https://docs.cohere.com/reference/chat, https://docs.cohere.com/reference/chat-stream,
 * https://docs.cohere.com/reference/embed
 */
import type { JsonObject } from '@gateway/contract'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

const usageOf = ({ usage: { prompt, completion } }: Said): JsonObject => ({
  billed_units: { input_tokens: prompt, output_tokens: completion },
  tokens: { input_tokens: prompt, output_tokens: completion },
})

const finishOf = (said: Said) => (said.calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE')

const error = (status: number, message: string) => jsonAnswer({ id: 'e1', message }, status)

function messageOf(said: Said): JsonObject {
  const calls = said.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return {
    role: 'assistant',
    ...(said.text === '' ? {} : { content: [{ type: 'text', text: said.text }] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

type Event = [name: string, data: JsonObject]

const event = (type: string, data: JsonObject): Event => [type, { type, ...data }]
const delta = (type: string, index: number, message: JsonObject): Event =>
  event(type, { index, delta: { message } })

function textEvents({ pieces }: Said): Event[] {
  if (pieces.length === 0) return []
  return [
    delta('content-start', 0, { content: { type: 'text', text: '' } }),
    ...pieces.map((text) => delta('content-delta', 0, { content: { text } })),
    event('content-end', { index: 0 }),
  ]
}

function callEvents({ calls }: Said): Event[] {
  return calls.flatMap(({ id, name, input }, index) => {
    const json = JSON.stringify(input)
    const open = { id, type: 'function', function: { name, arguments: '' } }
    return [
      delta('tool-call-start', index, { tool_calls: open }),
      ...[json.slice(0, 5), json.slice(5)].map((part) =>
        delta('tool-call-delta', index, { tool_calls: { function: { arguments: part } } }),
      ),
      event('tool-call-end', { index }),
    ]
  })
}

export const cohereChat: Vendor = {
  dialects: ['cohere-chat'],
  whole: (said) =>
    jsonAnswer({ id: 'c1', finish_reason: finishOf(said), message: messageOf(said), usage: usageOf(said) }),
  stream: (said) =>
    eventAnswer([
      event('message-start', {
        id: 'c1',
        delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
      }),
      ...textEvents(said),
      ...callEvents(said),
      event('message-end', { id: 'c1', delta: { finish_reason: finishOf(said), usage: usageOf(said) } }),
    ]),
  error,
  heard({ request: { json } }) {
    const parts = listOf(member(json, 'messages')).flatMap((message) => listOf(member(message, 'content')))
    return {
      texts: textsIn(member(json, 'messages')),
      tools: listOf(member(json, 'tools')).map((tool) => String(member(tool, 'function', 'name'))),
      images: parts.flatMap((part) => {
        const url = member(part, 'image_url', 'url')
        return typeof url === 'string' ? [url] : []
      }),
      schema: member(json, 'response_format', 'json_schema'),
    }
  },
}

export const cohereEmbed: Vendor = {
  dialects: ['cohere-embed'],
  whole(said, { request: { json } }) {
    const floats = said.vectors.map((vector) => [...vector])
    const base64 = floats.map((vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64'))
    const types = listOf(member(json, 'embedding_types'))
    return jsonAnswer({
      id: 'e1',
      embeddings: types.includes('base64') ? { base64 } : { float: floats },
      texts: member(json, 'texts'),
      meta: { billed_units: { input_tokens: said.usage.prompt } },
    })
  },
  error,
  heard: ({ request }) => ({ texts: [...textsIn(request.json)] }),
}
