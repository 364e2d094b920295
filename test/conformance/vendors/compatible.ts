/**
 * Vendors that speak the compatible format, with the oddities of each.
 * Source: https://platform.openai.com/docs/api-reference and the `docs` of each row.
 */
import type { JsonObject } from '@gateway/contract'
import {
  embeddingUsage,
  finishReasons,
  imageAnswers,
  moreOfAnswer,
  textAsChat,
  usagePlaces,
} from './compatible-oddities.ts'
import {
  eventAnswer,
  type Heard,
  jsonAnswer,
  listOf,
  member,
  type PlayedCall,
  type Said,
  textsIn,
  type Vendor,
} from './vendor.ts'

/** Each answer has its own id, by which some agents distinguish turns. */
const headOf = ({ usage }: Said) => ({
  id: `chatcmpl-${usage.prompt}`,
  created: 1_700_000_000,
  model: 'test-model',
})

export const usageOf = ({ usage: { prompt, completion } }: Said): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})

const callsOf = (said: Said): JsonObject[] =>
  said.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))

const finishOf = (said: Said, adapter: string): string =>
  said.calls.length > 0 ? 'tool_calls' : (finishReasons[adapter] ?? 'stop')

function messageOf(said: Said): JsonObject {
  const calls = callsOf(said)
  const content = said.text === '' ? null : said.text
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

function chatBody(said: Said, adapter: string): JsonObject {
  const choice = { index: 0, message: messageOf(said), finish_reason: finishOf(said, adapter) }
  return {
    ...headOf(said),
    object: 'chat.completion',
    choices: [choice],
    usage: usageOf(said),
    ...moreOfAnswer[adapter],
  }
}

/** Deltas of the text and of the calls, the last one with the reason. */
function deltasOf(said: Said): JsonObject[] {
  return [
    { role: 'assistant', content: '' },
    ...said.pieces.map((content) => ({ content })),
    ...said.calls.flatMap(({ id, name, input }, index) => {
      const text = JSON.stringify(input)
      const first = { index, id, type: 'function', function: { name, arguments: '' } }
      const parts = [text.slice(0, 5), text.slice(5)]
      return [first, ...parts.map((part) => ({ index, function: { arguments: part } }))].map((call) => ({
        tool_calls: [call],
      }))
    }),
  ]
}

const isUsageAskedFor = ({ request }: PlayedCall) =>
  member(request.json, 'stream_options', 'include_usage') === true

/** Puts the usage where the vendor has it. */
function withUsage(
  chunks: JsonObject[],
  said: Said,
  { call, object }: { call: PlayedCall; object: string },
): JsonObject[] {
  const usage = usageOf(said)
  const last = chunks.length - 1
  const place = usagePlaces[`${call.adapter} ${call.model}`] ?? usagePlaces[call.adapter]
  if (place === 'every') return chunks.map((chunk) => ({ ...chunk, usage }))
  if (place === 'last') return chunks.map((chunk, index) => (index === last ? { ...chunk, usage } : chunk))
  if (place === 'own') return [...chunks, { ...headOf(said), object, choices: [], usage }]
  if (place !== undefined) {
    return chunks.map((chunk, index) => (index === last ? { ...chunk, [place]: { id: 'r', usage } } : chunk))
  }
  return isUsageAskedFor(call) ? [...chunks, { ...headOf(said), object, choices: [], usage }] : chunks
}

function streamOf(choices: JsonObject[], said: Said, { call, object }: { call: PlayedCall; object: string }) {
  const chunks = choices.map((choice) => ({
    ...headOf(said),
    object,
    choices: [{ index: 0, ...choice }],
    ...moreOfAnswer[call.adapter],
  }))
  return eventAnswer([...withUsage(chunks, said, { call, object }), '[DONE]'])
}

function chatStream(said: Said, call: PlayedCall) {
  const choices = deltasOf(said).map((delta) => ({ delta, finish_reason: null }))
  const end = { delta: {}, finish_reason: finishOf(said, call.adapter) }
  return streamOf([...choices, end], said, { call, object: 'chat.completion.chunk' })
}

/** `{error: {message, type, param, code}}`. */
export function compatibleErrorAnswer(status: number, message: string) {
  return jsonAnswer({ error: { message, type: 'vendor_error', param: null, code: 'vendor_code' } }, status)
}

function heardChat({ request }: PlayedCall): Heard {
  const messages = listOf(member(request.json, 'messages'))
  const parts = messages.flatMap((message) => listOf(member(message, 'content')))
  return {
    texts: messages.flatMap((message) => textsIn(member(message, 'content'))),
    tools: listOf(member(request.json, 'tools')).map((tool) => String(member(tool, 'function', 'name'))),
    images: parts.flatMap((part) => {
      const url = member(part, 'image_url', 'url')
      return typeof url === 'string' ? [url] : []
    }),
    schema: member(request.json, 'response_format', 'json_schema', 'schema'),
  }
}

export const compatibleChat: Vendor = {
  dialects: ['compatible-chat'],
  whole: (said, { adapter }) => jsonAnswer(chatBody(said, adapter)),
  stream: chatStream,
  error: compatibleErrorAnswer,
  heard: heardChat,
}

export const compatibleCompletion: Vendor = {
  dialects: ['compatible-completion'],
  whole(said, { adapter }) {
    if (textAsChat.has(adapter)) return jsonAnswer(chatBody(said, adapter))
    const choices = [{ index: 0, text: said.text, logprobs: null, finish_reason: finishOf(said, adapter) }]
    return jsonAnswer({ ...headOf(said), object: 'text_completion', choices, usage: usageOf(said) })
  },
  stream(said, call) {
    if (textAsChat.has(call.adapter)) return chatStream(said, call)
    const choices = said.pieces.map((text) => ({ text, logprobs: null, finish_reason: null }))
    const end = { text: '', logprobs: null, finish_reason: finishOf(said, call.adapter) }
    return streamOf([...choices, end], said, { call, object: 'text_completion' })
  },
  error: compatibleErrorAnswer,
  heard: ({ request }) => ({ texts: textsIn(member(request.json, 'prompt')) }),
}

export const compatibleEmbedding: Vendor = {
  dialects: ['compatible-embedding'],
  whole(said, { adapter }) {
    const data = said.vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
    const { prompt } = said.usage
    const usage = embeddingUsage[adapter]?.(prompt) ?? { prompt_tokens: prompt, total_tokens: prompt }
    return jsonAnswer({ object: 'list', data, model: 'test-model', usage })
  },
  error: compatibleErrorAnswer,
  heard: ({ request }) => ({ texts: textsIn(member(request.json, 'input')) }),
}

export const compatibleImage: Vendor = {
  dialects: ['compatible-image'],
  whole(said, { adapter, request }) {
    const own = imageAnswers[adapter]
    if (own !== undefined) return jsonAnswer(own(said.image, request.json ?? {}))
    const isBase64 = member(request.json, 'response_format') === 'b64_json'
    const image = isBase64 ? { b64_json: said.image } : { url: 'https://images.example/1.png' }
    return jsonAnswer({ created: 1_700_000_000, data: [image] })
  },
  error: compatibleErrorAnswer,
  heard: ({ request }) => ({ texts: textsIn(member(request.json, 'prompt')) }),
}

export const compatibleRerank: Vendor = {
  dialects: ['compatible-rerank'],
  whole(said) {
    const results = said.scores.map((relevance_score, index) => ({ index, relevance_score }))
    return jsonAnswer({ id: 'r1', model: 'test-model', results, usage: { total_tokens: said.usage.prompt } })
  },
  error: compatibleErrorAnswer,
  heard: ({ request }) => ({
    texts: [...textsIn(member(request.json, 'query')), ...textsIn(member(request.json, 'documents'))],
  }),
}
