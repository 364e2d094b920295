/**
 * The Messages API. Source: https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/build-with-claude/streaming and …/api/errors
 */
import type { JsonObject } from '@gateway/contract'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

/** Claude Code takes two messages with the same id for parts of one. */
const headOf = (said: Said) => ({
  id: `msg_${said.usage.prompt}`,
  type: 'message',
  role: 'assistant',
  model: 'test-model',
})

const promptUsage = ({ usage: { prompt, read, written = 0 } }: Said): JsonObject =>
  read === undefined
    ? { input_tokens: prompt }
    : {
        input_tokens: prompt - read - written,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
      }

const errorTypes: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' }

const blocksOf = (said: Said): JsonObject[] => [
  ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
  ...said.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
]

const stopOf = (said: Said) => (said.calls.length > 0 ? 'tool_use' : 'end_turn')

type Event = [name: string, data: JsonObject]

const event = (type: string, data: JsonObject = {}): Event => [type, { type, ...data }]

/** A block: its start, its deltas, its stop. */
const block = (index: number, content_block: JsonObject, deltas: readonly JsonObject[]): Event[] => [
  event('content_block_start', { index, content_block }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
]

function events(said: Said): Event[] {
  const start = {
    ...headOf(said),
    content: [],
    stop_reason: null,
    usage: { ...promptUsage(said), output_tokens: 1 },
  }
  const text = said.pieces.map((piece) => ({ type: 'text_delta', text: piece }))
  const first = said.pieces.length === 0 ? 0 : 1
  const tools = said.calls.flatMap(({ id, name, input }, index) => {
    const json = JSON.stringify(input)
    const deltas = [json.slice(0, 5), json.slice(5)].map((part) => ({
      type: 'input_json_delta',
      partial_json: part,
    }))
    return block(first + index, { type: 'tool_use', id, name, input: {} }, deltas)
  })
  return [
    event('message_start', { message: start }),
    event('ping'),
    ...(first === 0 ? [] : block(0, { type: 'text', text: '' }, text)),
    ...tools,
    event('message_delta', {
      delta: { stop_reason: stopOf(said), stop_sequence: null },
      usage: { output_tokens: said.usage.completion },
    }),
    event('message_stop'),
  ]
}

export const anthropic: Vendor = {
  dialects: ['anthropic-messages'],
  whole: (said) =>
    jsonAnswer({
      ...headOf(said),
      content: blocksOf(said),
      stop_reason: stopOf(said),
      stop_sequence: null,
      usage: { ...promptUsage(said), output_tokens: said.usage.completion },
    }),
  stream: (said) => eventAnswer(events(said)),
  error: (status, message) =>
    jsonAnswer({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }, status),
  heard({ request: { json } }) {
    const blocks = listOf(member(json, 'messages')).flatMap((message) => listOf(member(message, 'content')))
    return {
      texts: [...textsIn(member(json, 'system')), ...textsIn(member(json, 'messages'))],
      tools: listOf(member(json, 'tools')).map((tool) => String(member(tool, 'name'))),
      images: blocks.flatMap((each) => {
        const source = member(each, 'source')
        const found = member(source, 'data') ?? member(source, 'url')
        return member(each, 'type') === 'image' && typeof found === 'string' ? [found] : []
      }),
      schema: member(json, 'output_config', 'format', 'schema'),
    }
  },
}
