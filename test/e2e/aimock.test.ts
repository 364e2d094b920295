/**
 * Three independent parties: the `openai` package, the gateway, and a third-party mock upstream with the formats of two
 * vendors.
 */
import { LLMock } from '@copilotkit/aimock'
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { watchOutgoing } from './outgoing.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'
const args = '{"city":"Paris"}'

describe('the openai package, the gateway and a mock of the vendors', () => {
  const outgoing = watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onMessage('greet me', { content: reply })
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: args }] })
    mock.onToolResult('call_7', { content: 'It is sunny.' })
    mock.onEmbedding('embed me', { embedding: [0.25, -0.5, 1] })
    mock.onImage('a cat', { image: { b64Json: 'AAAA' } })
    await mock.start()
    const api_key = 'sk-mock'
    gateway = await startGateway({
      providers: {
        openai: { provider: 'openai', api_key, custom_host: `${mock.url}/v1` },
        anthropic: { provider: 'anthropic', api_key, custom_host: `${mock.url}/v1` },
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
  const paths: Record<string, string> = { openai: '/v1/chat/completions', anthropic: '/v1/messages' }

  for (const [slug, model] of [
    ['openai', 'gpt-4.1'],
    ['anthropic', 'claude-sonnet-4-6'],
  ] as const) {
    describe(`as ${slug}`, () => {
      it('complete a chat', async () => {
        const answer = await clientOf(slug).chat.completions.create({
          model,
          messages: [{ role: 'system', content: 'be kind' }, user('please greet me')],
        })
        expect(answer.choices[0]).to.deep.include({ index: 0, finish_reason: 'stop' })
        expect(answer.choices[0]?.message).to.include({ role: 'assistant', content: reply })
        expect(answer.object).to.equal('chat.completion')
        expect(answer.model).to.equal(model)
        expect(answer.usage?.total_tokens).to.equal(
          (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
        )
        expect(mock.getLastRequest()?.path).to.equal(paths[slug])
      })

      it('stream a chat in several chunks', async () => {
        const stream = await clientOf(slug).chat.completions.create({
          model,
          messages: [user('greet me')],
          stream: true,
          stream_options: { include_usage: true },
        })
        const pieces: string[] = []
        let usage: OpenAI.CompletionUsage | null | undefined
        let reason: string | null = null
        for await (const chunk of stream) {
          expect(chunk.object).to.equal('chat.completion.chunk')
          const piece = chunk.choices[0]?.delta.content
          if (piece) pieces.push(piece)
          reason = chunk.choices[0]?.finish_reason ?? reason
          usage = chunk.usage ?? usage
        }
        expect(pieces.join('')).to.equal(reply)
        expect(pieces.length).to.be.above(3)
        expect(reason).to.equal('stop')
        expect(usage?.total_tokens).to.be.a('number')
      })

      for (const stream of [false, true]) {
        it(`call a tool${stream ? ' in a stream' : ''}`, async () => {
          const asked = { model, messages: [user('what weather is it?')], tools }
          const { completions } = clientOf(slug).chat
          const answer = stream
            ? await completions.stream(asked).finalChatCompletion()
            : await completions.create(asked)
          expect(answer.choices[0]?.finish_reason).to.equal('tool_calls')
          const [call] = answer.choices[0]?.message.tool_calls ?? []
          expect(call).to.have.property('type', 'function')
          expect(call?.id).to.be.a('string').and.not.to.equal('')
          const called = (call as OpenAI.ChatCompletionMessageFunctionToolCall).function
          expect(called.name).to.equal('get_weather')
          expect(JSON.parse(called.arguments)).to.deep.equal(JSON.parse(args))
        })
      }

      it('send the result of a tool back', async () => {
        const call = {
          id: 'call_7',
          type: 'function' as const,
          function: { name: 'get_weather', arguments: args },
        }
        const answer = await clientOf(slug).chat.completions.create({
          model,
          tools,
          messages: [
            user('what is it like?'),
            { role: 'assistant', content: null, tool_calls: [call] },
            { role: 'tool', tool_call_id: 'call_7', content: 'sunny' },
          ],
        })
        expect(answer.choices[0]?.message.content).to.equal('It is sunny.')
      })

      it('report an error with the status of the vendor', async () => {
        mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error', code: 'too_fast' })
        // A separate model, because a target is left out after a 429 with a time.
        const error: unknown = await clientOf(slug)
          .chat.completions.create({ model: `${model}-limited`, messages: [user('greet me')] })
          .then(
            () => null,
            (caught: unknown) => caught,
          )
        expect(error).to.be.instanceOf(OpenAI.RateLimitError)
        expect((error as Error).message).to.contain('slow down')
      })

      it('deliver nothing of a denied stream', async () => {
        const guard = { id: 'no-mock', deny: true, contains: { operator: 'none', words: ['mock'] } }
        const config = { provider: `@${slug}`, output_guardrails: [guard] }
        const error: unknown = await clientOf(slug)
          .chat.completions.create(
            { model, messages: [user('greet me')], stream: true },
            { headers: { 'x-gateway-config': JSON.stringify(config) } },
          )
          .then(
            () => null,
            (caught: unknown) => caught,
          )
        expect(error).to.be.instanceOf(OpenAI.APIError)
        expect((error as { status: number }).status).to.equal(446)
      })
    })
  }

  it('fall back from one vendor to another', async () => {
    mock.nextRequestError(503, { message: 'down' })
    const model = 'claude-sonnet-4-6'
    const targets = [{ provider: '@openai' }, { provider: '@anthropic', override_params: { model } }]
    const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets })
    const { data, response } = await clientOf('openai')
      .chat.completions.create(
        { model: 'gpt-4.1', messages: [user('greet me')] },
        { headers: { 'x-gateway-config': config } },
      )
      .withResponse()
    expect(data.choices[0]?.message.content).to.equal(reply)
    expect(response.headers.get('x-gateway-provider')).to.equal('anthropic')
    expect(mock.getRequests().map(({ path }) => path)).to.deep.equal([paths.openai, paths.anthropic])
  })

  it('create embeddings and images', async () => {
    const client = clientOf('openai')
    const embedded = await client.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'embed me',
      encoding_format: 'float',
    })
    expect(embedded.data[0]?.embedding).to.deep.equal([0.25, -0.5, 1])
    const images = await client.images.generate({ model: 'gpt-image-2', prompt: 'a cat' })
    expect(images.data?.[0]?.b64_json).to.equal('AAAA')
  })

  it('make no call outside this machine', () => {
    expect([...outgoing].filter((host) => !['127.0.0.1', '::1', 'localhost'].includes(host))).to.deep.equal(
      [],
    )
    expect([...outgoing]).to.include('127.0.0.1')
  })
})
