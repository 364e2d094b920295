/** The cost of requests, to the last digit: the prices are fictitious, so each sum can be verified by hand. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { usageOf } from '../../core/metering/limits/scene.ts'
import type { Scene } from '../../support/scene.ts'
import { chatAnswer, chatEvents, type Handler, sendEvents, sendJson } from '../../support/upstream.ts'
import type { Row, Table } from './table.ts'

/** Cents. */
const pricing_config = {
  pay_as_you_go: {
    request_token: { price: 0.25 },
    response_token: { price: 1 },
    cache_read_input_token: { price: 0.025 },
    cache_write_input_token: { price: 0.3125 },
    request_audio_token: { price: 4 },
    response_audio_token: { price: 8 },
  },
}
const models = (pricing_adjustments?: JsonObject) => [
  { slug: 'priced', pricing_config, ...(pricing_adjustments === undefined ? {} : { pricing_adjustments }) },
]

/** Providers of the gateway for these rows. */
export const pricedProviders = (origin: string) => ({
  priced: { provider: 'openai', api_key: 'sk-1', custom_host: `${origin}/priced/v1`, models: models() },
  spare: { provider: 'openai', api_key: 'sk-1', custom_host: `${origin}/spare/v1`, models: models() },
  doubled: {
    provider: 'openai',
    api_key: 'sk-1',
    custom_host: `${origin}/priced/v1`,
    models: models({ multiplier: { default: 2 } }),
  },
  claude: { provider: 'anthropic', api_key: 'sk-1', custom_host: `${origin}/claude/v1`, models: models() },
})

const chatWith =
  (usage: JsonObject): Handler =>
  (request, response) => {
    if (request.json?.stream !== true) return sendJson(response, 200, chatAnswer('ok', { usage }))
    const events = chatEvents('o', 'k')
    const last = { ...chatAnswer(''), object: 'chat.completion.chunk', choices: [], usage }
    sendEvents(response, [...events.slice(0, -1), `data: ${JSON.stringify(last)}\n\n`, 'data: [DONE]\n\n'])
  }

const messageWith =
  (usage: JsonObject): Handler =>
  (_request, response) =>
    sendJson(response, 200, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'priced',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    })

const embeddingWith =
  (usage: JsonObject): Handler =>
  (_request, response) =>
    sendJson(response, 200, {
      object: 'list',
      model: 'priced',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage,
    })

interface Case {
  what: string
  sum: string
  cents: number
  /** The answers of targets; the last one is repeated. */
  answers: Record<string, Handler | (Handler | number)[]>
  path?: string
  body?: JsonObject
  provider?: string
  config?: JsonObject
}

const messages = [{ role: 'user', content: 'hello' }]
const plain = usageOf(1000, 100)
const cached = usageOf(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } })
const cachedMessage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
}
const fallsBack = {
  strategy: { mode: 'fallback' },
  targets: [{ provider: '@priced' }, { provider: '@spare' }],
}

const cases: readonly Case[] = [
  {
    what: 'chat completion',
    sum: '1000 × 0.25 + 100 × 1',
    cents: 350,
    answers: { priced: chatWith(plain) },
  },
  {
    what: 'chat completion, streamed, usage not requested',
    sum: '1000 × 0.25 + 100 × 1',
    cents: 350,
    answers: { priced: chatWith(plain) },
    body: { messages, stream: true },
  },
  {
    what: 'chat completion, streamed, usage requested',
    sum: '1000 × 0.25 + 100 × 1',
    cents: 350,
    answers: { priced: chatWith(plain) },
    body: { messages, stream: true, stream_options: { include_usage: true } },
  },
  {
    what: 'cached input',
    sum: '600 × 0.25 + 400 × 0.025 + 100 × 1',
    cents: 260,
    answers: { priced: chatWith(cached) },
  },
  {
    what: 'audio input and output',
    sum: '70 × 0.25 + 30 × 4 + 30 × 1 + 20 × 8',
    cents: 327.5,
    answers: {
      priced: chatWith(
        usageOf(100, 50, {
          prompt_tokens_details: { audio_tokens: 30 },
          completion_tokens_details: { audio_tokens: 20 },
        }),
      ),
    },
  },
  {
    what: 'a model with doubled prices',
    sum: '2 × (1000 × 0.25 + 100 × 1)',
    cents: 700,
    answers: { priced: chatWith(plain) },
    provider: '@doubled',
  },
  {
    what: 'embeddings',
    sum: '8 × 0.25',
    cents: 2,
    answers: { priced: embeddingWith({ prompt_tokens: 8, total_tokens: 8 }) },
    path: '/v1/embeddings',
    body: { input: 'hello' },
  },
  {
    what: 'Anthropic Messages, forwarded, with cache reads and writes',
    sum: '10 × 0.25 + 100 × 0.025 + 20 × 0.3125 + 5 × 1',
    cents: 16.25,
    answers: { claude: messageWith(cachedMessage) },
    provider: '@claude',
    path: '/v1/messages',
    body: { max_tokens: 9, messages },
  },
  {
    what: 'the same request as a chat completion',
    sum: '10 × 0.25 + 100 × 0.025 + 20 × 0.3125 + 5 × 1',
    cents: 16.25,
    answers: { claude: messageWith(cachedMessage) },
    provider: '@claude',
    body: { max_tokens: 9, messages },
  },
  {
    what: 'Anthropic Messages, translated for a provider of chat completions',
    sum: '600 × 0.25 + 400 × 0.025 + 100 × 1',
    cents: 260,
    answers: { priced: chatWith(cached) },
    path: '/v1/messages',
    body: { max_tokens: 9, messages },
  },
  {
    what: 'a retry after 500: only the answer is charged',
    sum: '1000 × 0.25 + 100 × 1',
    cents: 350,
    answers: { priced: [500, chatWith(plain)] },
    config: { provider: '@priced', retry: { attempts: 1 } },
  },
  {
    what: 'a fallback after 503: only the answer is charged',
    sum: '1000 × 0.25 + 100 × 1',
    cents: 350,
    answers: { priced: [503], spare: chatWith(plain) },
    config: fallsBack,
  },
]

const explain = { 'x-gateway-explain': 'true' }

function costOf(text: string): number | undefined {
  const [, found = ''] = /("decisions":\[.*\])\}/.exec(text) ?? []
  const { decisions } = JSON.parse(`{${found}}`) as { decisions: { step: string; cost?: number }[] }
  return decisions.find(({ step }) => step === 'end')?.cost
}

export function costTable(scene: Scene): Table {
  const rows = cases.map(({ what, sum, cents, answers, path, body, provider = '@priced', config }): Row => {
    return {
      cells: [what, sum, String(cents)],
      async run() {
        scene.answers = answers
        const asked = { model: 'priced', ...(body ?? { messages }) }
        const reply = await scene.ask(config ?? { provider }, {
          body: asked,
          headers: explain,
          ...(path === undefined ? {} : { path }),
        })
        expect(reply.status, reply.text).to.equal(200)
        expect(costOf(reply.text), reply.text).to.be.closeTo(cents, 1e-9)
      },
    }
  })
  return {
    title: 'Cost of requests',
    text: 'The cost that the gateway charges and logs, compared with the price of the usage that the provider reported. Prices are in cents per token.',
    columns: ['request', 'sum', 'cents'],
    rows,
  }
}
