/**
 * Amazon Bedrock: Converse and ConverseStream, InvokeModel of several families, Rerank.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
 * …/API_runtime_ConverseStream.html, …/API_agent-runtime_Rerank.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
 */
import type { JsonObject } from '@gateway/contract'
import { frame } from '../../providers/fixtures/aws-frames.ts'
import {
  jsonAnswer,
  listOf,
  member,
  type PlayedCall,
  type Said,
  textsIn,
  type Vendor,
  type VendorAnswer,
} from './vendor.ts'

const errorTypes: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  429: 'ThrottlingException',
}

const error = (status: number, message: string) =>
  jsonAnswer({ message }, status, { 'x-amzn-errortype': errorTypes[status] ?? 'InternalServerException' })

const frames = (pieces: readonly Buffer[]): VendorAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  pieces,
})

const usageOf = ({ usage: { prompt, completion } }: Said): JsonObject => ({
  inputTokens: prompt,
  outputTokens: completion,
  totalTokens: prompt + completion,
})

const stopOf = (said: Said) => (said.calls.length > 0 ? 'tool_use' : 'end_turn')

function converseFrames(said: Said): Buffer[] {
  const first = said.pieces.length === 0 ? 0 : 1
  const calls = said.calls.flatMap(({ id, name, input }, at) => {
    const contentBlockIndex = first + at
    const json = JSON.stringify(input)
    return [
      frame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: id, name } } }),
      ...[json.slice(0, 5), json.slice(5)].map((part) =>
        frame('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: part } } }),
      ),
      frame('contentBlockStop', { contentBlockIndex }),
    ]
  })
  const text = said.pieces.map((piece) =>
    frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece } }),
  )
  return [
    frame('messageStart', { role: 'assistant' }),
    ...(first === 0 ? [] : [...text, frame('contentBlockStop', { contentBlockIndex: 0 })]),
    ...calls,
    frame('messageStop', { stopReason: stopOf(said) }),
    frame('metadata', { usage: usageOf(said), metrics: { latencyMs: 1 } }),
  ]
}

export const converse: Vendor = {
  dialects: ['bedrock-converse'],
  whole(said) {
    const content = [
      ...(said.text === '' ? [] : [{ text: said.text }]),
      ...said.calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
    ]
    return jsonAnswer({
      output: { message: { role: 'assistant', content } },
      stopReason: stopOf(said),
      usage: usageOf(said),
      metrics: { latencyMs: 1 },
    })
  },
  stream: (said) => frames(converseFrames(said)),
  error,
  heard({ request: { json } }) {
    const blocks = listOf(member(json, 'messages')).flatMap((message) => listOf(member(message, 'content')))
    const format = member(json, 'outputConfig', 'textFormat', 'structure', 'jsonSchema', 'schema')
    const tools = listOf(member(json, 'toolConfig', 'tools'))
    return {
      texts: [...textsIn(member(json, 'system')), ...textsIn(member(json, 'messages'))],
      tools: tools.map((tool) => String(member(tool, 'toolSpec', 'name'))),
      images: blocks.flatMap((block) => {
        const bytes = member(block, 'image', 'source', 'bytes')
        return typeof bytes === 'string' ? [bytes] : []
      }),
      // A model without structured outputs gets a tool with the schema as its input.
      schema:
        typeof format === 'string' ? JSON.parse(format) : member(tools[0], 'toolSpec', 'inputSchema', 'json'),
    }
  },
}

/** Answers of InvokeModel count in headers. */
const counts = ({ usage: { prompt, completion } }: Said) => ({
  'x-amzn-bedrock-input-token-count': String(prompt),
  'x-amzn-bedrock-output-token-count': String(completion),
})

/** The model's own events, each in base64. */
function chunks(events: readonly JsonObject[], { usage: { prompt, completion } }: Said): VendorAnswer {
  const last = {
    'amazon-bedrock-invocationMetrics': { inputTokenCount: prompt, outputTokenCount: completion },
  }
  return frames(
    events.map((event, index) => {
      const data = JSON.stringify(index === events.length - 1 ? { ...event, ...last } : event)
      return frame('chunk', { bytes: Buffer.from(data).toString('base64') })
    }),
  )
}

/** A family of text completion models, by the member with the text. */
const completionVendor = (
  name: string,
  piece: (text: string, reason: string | null, said: Said) => JsonObject,
): Vendor => ({
  dialects: [`bedrock-${name}`],
  whole: (said) => jsonAnswer(piece(said.text, 'stop', said), 200, counts(said)),
  stream: (said) =>
    chunks([...said.pieces.map((text) => piece(text, null, said)), piece('', 'stop', said)], said),
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
})

export const bedrockCompletions: readonly Vendor[] = [
  completionVendor('meta', (generation, stop_reason, { usage: { prompt, completion } }) => ({
    generation,
    stop_reason,
    prompt_token_count: prompt,
    generation_token_count: completion,
  })),
  completionVendor('mistral', (text, stop_reason) => ({ outputs: [{ text, stop_reason }] })),
  completionVendor('deepseek', (text, stop_reason) => ({ choices: [{ text, stop_reason }] })),
]

/** The vectors that a call asks for: one text a call, or several. */
function embeddingsOf(said: Said, { request: { json, path } }: PlayedCall): VendorAnswer {
  const texts = listOf(member(json, 'texts'))
  if (texts.length > 0) {
    const vectors = said.vectors.slice(0, texts.length)
    const isTyped = member(json, 'embedding_types') !== undefined
    return jsonAnswer({ id: 'e1', embeddings: isTyped ? { float: vectors } : vectors }, 200, counts(said))
  }
  const isSecond = JSON.stringify(json).includes('Second text')
  const embedding = said.vectors[isSecond ? 1 : 0]
  // All the tokens stand with the first text.
  const head = { 'x-amzn-bedrock-input-token-count': String(isSecond ? 0 : said.usage.prompt) }
  if (path.includes('nova'))
    return jsonAnswer({ embeddings: [{ embeddingType: 'TEXT', embedding }] }, 200, head)
  const inputTextTokenCount = isSecond ? 0 : said.usage.prompt
  return jsonAnswer({ embedding, inputTextTokenCount }, 200, head)
}

export const bedrockEmbed: Vendor = {
  dialects: ['bedrock:embed'],
  whole: embeddingsOf,
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
  isAskedPerText: true,
}

export const bedrockImage: Vendor = {
  dialects: ['bedrock:imageGenerate'],
  whole: ({ image }) => jsonAnswer({ images: [image], seeds: [7], finish_reasons: [null] }),
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}

export const bedrockRerank: Vendor = {
  dialects: ['bedrock:rerank'],
  whole: (said) =>
    jsonAnswer({ results: said.scores.map((relevanceScore, index) => ({ index, relevanceScore })) }),
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}
