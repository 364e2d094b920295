/**
 * Three parties that know nothing of each other: the `openai` package, the gateway, and an upstream that we did not
 * write, which speaks the formats of Cohere and of Ollama.
 */
import { LLMock } from '@copilotkit/aimock'
import { expect } from 'chai'
import OpenAI from 'openai'
import { watchOutgoing } from '../../e2e/outgoing.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'
const args = '{"city":"Paris"}'

/** The members that select the native format, and its path. The mock has the older embeddings of Ollama. */
const vendors = [
  { slug: 'cohere', model: 'command-a-03-2025', native: {}, chat: '/v2/chat', embed: '/v2/embed' },
  {
    slug: 'ollama',
    model: 'qwen3:8b',
    native: { keep_alive: '5m' },
    chat: '/api/chat',
    embed: '/api/embeddings',
  },
]

describe('the openai package, the gateway and a mock of Cohere and Ollama', () => {
  const outgoing = watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onMessage('greet me', { content: reply })
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: args }] })
    mock.onEmbedding('embed me', { embedding: [0.25, -0.5, 1] })
    mock.onRerank('capital', [
      { index: 1, relevance_score: 0.2 },
      { index: 0, relevance_score: 0.9 },
    ])
    await mock.start()
    gateway = await startGateway({
      providers: {
        cohere: { provider: 'cohere', api_key: 'co-mock', custom_host: `${mock.url}/v2` },
        ollama: { provider: 'ollama', custom_host: `${mock.url}/v1` },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await mock.stop()
  })
  beforeEach(() => mock.clearRequests())

  const clientOf = (slug: string) =>
    new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-provider': `@${slug}` },
    })
  const user = (content: string) => ({ role: 'user' as const, content })
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [
    { type: 'function' as const, function: { name: 'get_weather', description: 'd', parameters } },
  ]

  for (const { slug, model, native, chat, embed } of vendors) {
    describe(`as ${slug}`, () => {
      it('complete a chat', async () => {
        const messages = [{ role: 'system' as const, content: 'be kind' }, user('please greet me')]
        const answer = await clientOf(slug).chat.completions.create({ model, messages, ...native })
        expect(answer.choices[0]).to.deep.include({ index: 0, finish_reason: 'stop' })
        expect(answer.choices[0]?.message).to.include({ role: 'assistant', content: reply })
        expect(answer.model).to.equal(model)
        expect(mock.getLastRequest()?.path).to.equal(chat)
      })

      it('stream a chat in several chunks', async () => {
        const stream = await clientOf(slug).chat.completions.create({
          model,
          messages: [user('greet me')],
          stream: true,
          stream_options: { include_usage: true },
          ...native,
        })
        const pieces: string[] = []
        let usage: OpenAI.CompletionUsage | null | undefined
        for await (const chunk of stream) {
          const piece = chunk.choices[0]?.delta.content
          if (piece) pieces.push(piece)
          usage = chunk.usage ?? usage
        }
        expect(pieces.join('')).to.equal(reply)
        expect(pieces.length).to.be.above(3)
        expect(usage?.total_tokens).to.be.a('number')
      })

      for (const stream of [false, true]) {
        it(`call a tool${stream ? ' in a stream' : ''}`, async () => {
          const asked = { model, messages: [user('what weather is it?')], tools, ...native }
          const { completions } = clientOf(slug).chat
          const answer = stream
            ? await completions.stream(asked).finalChatCompletion()
            : await completions.create(asked)
          expect(answer.choices[0]?.finish_reason).to.equal('tool_calls')
          const [call] = answer.choices[0]?.message.tool_calls ?? []
          expect(call?.id).to.be.a('string').and.not.to.equal('')
          const called = (call as OpenAI.ChatCompletionMessageFunctionToolCall).function
          expect(called.name).to.equal('get_weather')
          expect(JSON.parse(called.arguments)).to.deep.equal(JSON.parse(args))
        })
      }

      it('create embeddings', async () => {
        const answer = await clientOf(slug).embeddings.create({ model, input: 'embed me' })
        expect(answer.data[0]?.embedding).to.deep.equal([0.25, -0.5, 1])
        expect(mock.getLastRequest()?.path).to.equal(embed)
      })

      it('return an error with the status of the vendor', async () => {
        mock.nextRequestError(429, { message: 'slow down' })
        const error: unknown = await clientOf(slug)
          .chat.completions.create({ model, messages: [user('greet me')], ...native })
          .catch((caught: unknown) => caught)
        expect(error).to.be.instanceOf(OpenAI.RateLimitError)
        expect((error as Error).message).to.contain('slow down')
      })
    })
  }

  it('rerank with Cohere', async () => {
    const body = { model: 'rerank-v3.5', query: 'capital of France', documents: ['Paris', 'Berlin'] }
    const answer = await gateway.post('/v1/rerank', body, { 'x-gateway-provider': '@cohere' })
    expect(await answer.json()).to.deep.include({
      results: [
        { index: 0, relevance_score: 0.9 },
        { index: 1, relevance_score: 0.2 },
      ],
    })
  })

  it('make no call outside this machine', () => {
    const local = ['127.0.0.1', '::1', 'localhost']
    expect([...outgoing].filter((host) => !local.includes(host))).to.deep.equal([])
  })
})
