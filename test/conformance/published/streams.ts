/**
 * The ends of streams: every provider with chat completions, in each client dialect, for any end of the upstream
 * stream.
 */
import type { InferenceEndpoint, JsonObject, ProviderAdapter } from '@gateway/contract'
import { expect } from 'chai'
import { frame } from '../../providers/fixtures/aws-frames.ts'
import type { Reply } from '../../support/scene.ts'
import { findDialect } from '../find-dialect.ts'
import { saying, text } from '../provider-said.ts'
import type { Played, ProviderScene } from '../provider-scene.ts'
import { modelsOf } from '../provider-settings.ts'
import { anthropic } from '../vendors/anthropic.ts'
import { vendorOf } from '../vendors/index.ts'
import { eventAnswer, type PlayedCall, type VendorAnswer } from '../vendors/vendor.ts'
import type { Row, Table } from './table.ts'

interface CallerDialect {
  path(model: string): string
  body: JsonObject
  /** Data of its deltas of text, and whether an event ends the stream well. */
  textOf(event: JsonObject): string
  isEnd(data: string): boolean
}

const chunkText = (event: JsonObject) => {
  const [choice] = (event.choices ?? []) as { delta?: { content?: string } }[]
  return choice?.delta?.content ?? ''
}
const contentText = (event: JsonObject) => {
  const [candidate] = (event.candidates ?? []) as { content?: { parts?: { text?: string }[] } }[]
  return (candidate?.content?.parts ?? []).map((part) => part.text ?? '').join('')
}
const isType = (type: string) => (data: string) => data.startsWith('{') && JSON.parse(data).type === type
const user = { role: 'user', content: text }

const dialects: Readonly<Record<string, CallerDialect>> = {
  'chat completions': {
    path: () => '/v1/chat/completions',
    body: { messages: [user] },
    textOf: chunkText,
    isEnd: (data) => data === '[DONE]',
  },
  'Anthropic Messages': {
    path: () => '/v1/messages',
    body: { max_tokens: 100, messages: [user] },
    textOf: (event) => (event.delta as { text?: string } | undefined)?.text ?? '',
    isEnd: isType('message_stop'),
  },
  'Open Responses': {
    path: () => '/v1/responses',
    body: { input: text },
    textOf: (event) => (event.type === 'response.output_text.delta' ? String(event.delta) : ''),
    isEnd: isType('response.completed'),
  },
  Gemini: {
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text }] }] },
    textOf: contentText,
    isEnd: (data) => data.includes('"finishReason"'),
  },
}

const dataOf = ({ text: body }: Reply): string[] =>
  body.split('\n').flatMap((line) => (line.startsWith('data: ') ? line.slice('data: '.length) : []))

type Check = (reply: Reply, dialect: CallerDialect) => void

const saidBy = (reply: Reply, { textOf }: CallerDialect) =>
  dataOf(reply)
    .filter((data) => data.startsWith('{'))
    .map((data) => textOf(JSON.parse(data)))
    .join('')

/** An answer that failed before any content: JSON with an error, and no event. */
const failsWith =
  (status: number): Check =>
  (reply) => {
    expect(reply.status, reply.text).to.equal(status)
    expect(reply.headers.get('content-type')).to.include('application/json')
    expect(reply.body.error).to.be.an('object')
  }

const endings: readonly {
  what: string
  play(scene: ProviderScene, answer: (call: PlayedCall) => VendorAnswer, played: Played): void
  check: Check
}[] = [
  {
    what: 'complete',
    play: (scene, answer) => scene.play(answer),
    check(reply, dialect) {
      expect(reply.status, reply.text).to.equal(200)
      expect(saidBy(reply, dialect)).to.equal(text)
      expect(dataOf(reply).filter(dialect.isEnd), reply.text).to.have.length(1)
    },
  },
  {
    what: 'cut before the first byte',
    play: (scene, answer) => scene.play(answer, { cutAfter: 0 }),
    check: failsWith(502),
  },
  {
    what: 'cut in the middle',
    play: (scene, answer) => scene.play(answer, { cutAfter: 5 }),
    check(reply, dialect) {
      expect(dataOf(reply).filter(dialect.isEnd), reply.text).to.deep.equal([])
      expect(reply.text).to.include('upstream_invalid_response')
      expect(text.startsWith(saidBy(reply, dialect))).to.equal(true)
    },
  },
  {
    what: 'refused with 429',
    play: (scene, _, { vendor }) => scene.play((call) => vendor.error(429, 'Slow down', call)),
    check: failsWith(429),
  },
]

/** The same text from a vendor whom a caller's own dialect reaches untranslated. */
const native: readonly [path: RegExp, answer: (call: PlayedCall) => VendorAnswer][] = [
  [/\/responses$/, responsesEvents],
  [/\/invoke-with-response-stream$/, framedMessages],
]

/** Anthropic's events in AWS' frames. */
function framedMessages(call: PlayedCall): VendorAnswer {
  const { pieces } = anthropic.stream?.(saying, call) ?? anthropic.whole(saying, call)
  const framed = pieces.map((piece) => {
    const data = piece.toString().split('data: ')[1]?.trim() ?? ''
    return frame('chunk', { bytes: Buffer.from(data).toString('base64') })
  })
  return {
    status: 200,
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    pieces: framed,
  }
}

function responsesEvents(): VendorAnswer {
  const item = { type: 'message', id: 'msg_1', role: 'assistant' }
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text, annotations: [] }
  const done = { ...item, status: 'completed', content: [part] }
  const events: JsonObject[] = [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...saying.pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item: done },
    {
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        output: [done],
        usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
      },
    },
  ]
  return eventAnswer(events.map((event, index) => [String(event.type), { ...event, sequence_number: index }]))
}

export function streamTable(adapters: Iterable<ProviderAdapter>, scene: ProviderScene): Table {
  const endpoint: InferenceEndpoint = 'chatComplete'
  const rows: Row[] = []
  const sorted = [...adapters].sort((one, other) => (one.name < other.name ? -1 : 1))
  for (const adapter of sorted) {
    const declared = adapter.endpoints[endpoint]
    if (declared === undefined) continue
    for (const model of modelsOf(adapter.name, endpoint)) {
      const found = findDialect(adapter, endpoint, { declared, model })
      const vendor = typeof found === 'string' ? undefined : vendorOf(found.name)
      if (typeof found === 'string' || vendor?.stream === undefined || vendor.isLocal === true) continue
      const played: Played = { adapter, endpoint, model, dialect: found.name, vendor }
      rows.push(...Object.keys(dialects).map((name) => rowOf(played, name, scene)))
    }
  }
  return {
    title: 'How streams end',
    text: `Each provider with streamed chat completions is called in each client format. Each row covers ${endings.length} streams: ${endings.map(({ what }) => what).join(', ')}. Only the complete stream ends with the final event of the caller's format; the others end with an error.`,
    columns: ['provider', 'model', "caller's format"],
    rows,
  }
}

function rowOf(played: Played, name: string, scene: ProviderScene): Row {
  const { adapter, model, vendor } = played
  const dialect = dialects[name] as CallerDialect
  const answer = (call: PlayedCall): VendorAnswer => {
    const own = native.find(([path]) => path.test(call.request.path))?.[1]
    return own?.(call) ?? vendor.stream?.(saying, call) ?? vendor.whole(saying, call)
  }
  return {
    cells: [adapter.name, model, name],
    async run() {
      for (const { play, check } of endings) {
        play(scene, answer, played)
        check(await scene.send(played, dialect.path(model), { ...dialect.body, stream: true }), dialect)
      }
    },
  }
}
