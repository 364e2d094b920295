/**
 * The unmodified `@anthropic-ai/sdk` package as the caller: with the embedded provider, and with a third-party mock
 * that supports its format natively and another vendor's through the translation.
 */
import Anthropic from '@anthropic-ai/sdk'
import { LLMock } from '@copilotkit/aimock'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { watchOutgoing } from './outgoing.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'
const args = { city: 'Paris' }

type Create = Anthropic.MessageCreateParamsNonStreaming
const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
})

const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'd',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]

async function failureOf(asking: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> {
  const error = await asking.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).to.be.instanceOf(Anthropic.APIError)
  return error as InstanceType<typeof Anthropic.APIError>
}

/** The texts of a message. */
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')

describe('the @anthropic-ai/sdk package', () => {
  const outgoing = watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onMessage('greet me', { content: reply })
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: JSON.stringify(args) }] })
    mock.onToolResult('call_7', { content: 'It is sunny.' })
    await mock.start()
    const api_key = 'sk-mock'
    gateway = await startGateway({
      providers: {
        echo: { provider: 'echo' },
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

  /** The gateway key is sent as the package's own `x-api-key`. */
  const clientOf = (slug: string, headers: Record<string, string> = {}) =>
    new Anthropic({
      apiKey: adminKey,
      baseURL: gateway.url,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-provider': `@${slug}`, ...headers },
    })
  const paths: Record<string, string> = { openai: '/v1/chat/completions', anthropic: '/v1/messages' }

  for (const [slug, model] of [
    ['openai', 'gpt-4.1'],
    ['anthropic', 'claude-sonnet-4-6'],
  ] as const) {
    describe(`with a mock as ${slug}`, () => {
      const ask = (content: string, rest: Partial<Create> = {}): Create => ({
        model,
        max_tokens: 100,
        messages: [user(content)],
        ...rest,
      })

      it('creates a message', async () => {
        const answer = await clientOf(slug).messages.create(ask('please greet me', { system: 'be kind' }))
        expect(answer).to.include({ type: 'message', role: 'assistant', stop_reason: 'end_turn', model })
        expect(textOf(answer)).to.equal(reply)
        expect(answer.usage.output_tokens).to.be.a('number')
        expect(mock.getLastRequest()?.path).to.equal(paths[slug])
      })

      it('streams a message in several chunks', async () => {
        const stream = clientOf(slug).messages.stream(ask('greet me'))
        const pieces: string[] = []
        stream.on('text', (piece) => pieces.push(piece))
        const answer = await stream.finalMessage()
        expect(pieces.join('')).to.equal(reply)
        expect(pieces.length).to.be.above(3)
        expect(textOf(answer)).to.equal(reply)
        expect(answer.stop_reason).to.equal('end_turn')
        expect(mock.getLastRequest()?.path).to.equal(paths[slug])
      })

      for (const isStream of [false, true]) {
        it(`calls a tool${isStream ? ' in a stream' : ''}`, async () => {
          const { messages } = clientOf(slug)
          const asked = ask('what weather is it?', { tools })
          const answer = isStream ? await messages.stream(asked).finalMessage() : await messages.create(asked)
          expect(answer.stop_reason).to.equal('tool_use')
          const [call] = answer.content.filter((block) => block.type === 'tool_use')
          expect(call).to.deep.include({ name: 'get_weather', input: args })
          expect(call?.id).to.be.a('string').and.not.to.equal('')
        })
      }

      it('sends the result of a tool back', async () => {
        const answer = await clientOf(slug).messages.create(
          ask('', {
            tools,
            messages: [
              user('what is it like?'),
              {
                role: 'assistant',
                content: [{ type: 'tool_use', id: 'call_7', name: 'get_weather', input: args }],
              },
              user([{ type: 'tool_result', tool_use_id: 'call_7', content: 'sunny' }]),
            ],
          }),
        )
        expect(textOf(answer)).to.equal('It is sunny.')
      })

      it('throws an error by the status of the vendor', async () => {
        for (const [status, type] of [
          [400, Anthropic.BadRequestError],
          [429, Anthropic.RateLimitError],
          [500, Anthropic.InternalServerError],
        ] as const) {
          mock.nextRequestError(status, { message: 'not now', type: 'told', code: 'told' })
          // A separate model, because a target is left out after a 429 with a time.
          const asked = ask('greet me', { model: `${model}-${status}` })
          const error = await failureOf(clientOf(slug).messages.create(asked))
          expect(error, String(status)).to.be.instanceOf(type)
          expect([error.status, error.type, error.apiMessage]).to.deep.equal([status, 'told', 'not now'])
          expect(error.error).to.have.property('type', 'error')
        }
      })

      it('receives nothing of a denied answer', async () => {
        const guard = { id: 'no-mock', deny: true, contains: { operator: 'none', words: ['mock'] } }
        const config = JSON.stringify({ provider: `@${slug}`, output_guardrails: [guard] })
        const { messages } = clientOf(slug, { 'x-gateway-config': config })
        const error = await failureOf(messages.stream(ask('greet me')).finalMessage())
        expect([error.status, error.type]).to.deep.equal([446, 'hooks_failed'])
      })
    })
  }

  it('receives a token count from the provider, or an estimate', async () => {
    const asked = { model: 'm', messages: [user('one two three four')] }
    const { data, response } = await clientOf('openai').messages.countTokens(asked).withResponse()
    expect(data.input_tokens).to.be.within(4, 20)
    expect(response.headers.get('x-gateway-token-count')).to.equal('estimate')
  })

  it('falls back from one provider to the other', async () => {
    mock.nextRequestError(529, { message: 'overloaded', type: 'overloaded_error' })
    const targets = [
      { provider: '@anthropic' },
      { provider: '@openai', override_params: { model: 'gpt-4.1' } },
    ]
    const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets })
    const { data, response } = await clientOf('anthropic', { 'x-gateway-config': config })
      .messages.create({ model: 'claude-sonnet-4-6', max_tokens: 10, messages: [user('greet me')] })
      .withResponse()
    expect(textOf(data)).to.equal(reply)
    expect(response.headers.get('x-gateway-provider')).to.equal('openai')
    expect(mock.getRequests().map(({ path }) => path)).to.deep.equal([paths.anthropic, paths.openai])
  })

  describe('with echo', () => {
    const ask = (content: Anthropic.MessageParam['content'], rest: object = {}): Create => ({
      model: 'echo-1',
      max_tokens: 100,
      messages: [user(content)],
      ...rest,
    })

    it('receives a message, plain and streamed, with its tokens', async () => {
      const { messages } = clientOf('echo')
      for (const answer of [
        await messages.create(ask('one two three')),
        await messages.stream(ask('one two three')).finalMessage(),
      ]) {
        expect(textOf(answer)).to.equal('one two three')
        expect(answer.usage).to.include({ input_tokens: 3, output_tokens: 3 })
      }
    })

    it('reports max_tokens as the stop reason', async () => {
      const { messages } = clientOf('echo')
      const short = await messages.create(ask('one two three', { max_tokens: 1 }))
      expect([textOf(short), short.stop_reason]).to.deep.equal(['one', 'max_tokens'])
      const stopped = await messages.create(ask('one two three', { stop_sequences: ['two'] }))
      expect([textOf(stopped), stopped.stop_reason]).to.deep.equal(['one ', 'end_turn'])
    })

    for (const isStream of [false, true]) {
      it(`calls a required tool${isStream ? ', as a stream' : ''}`, async () => {
        const { messages } = clientOf('echo')
        const asked = ask('{"city":"Paris"}', { tools, tool_choice: { type: 'tool', name: 'get_weather' } })
        const answer = isStream ? await messages.stream(asked).finalMessage() : await messages.create(asked)
        expect(answer.content).to.have.length(1)
        expect(answer.content[0]).to.deep.include({ type: 'tool_use', name: 'get_weather', input: args })
        expect(answer.stop_reason).to.equal('tool_use')
      })
    }

    it('throws for a stream that breaks off, which never looks complete', async () => {
      const stream = clientOf('echo').messages.stream(
        ask('one two three four', { extra_body: { echo: { fail_after_tokens: 2 } } }),
      )
      let text = ''
      stream.on('text', (piece) => {
        text += piece
      })
      const error = await failureOf(stream.finalMessage())
      expect(text).to.match(/^one/).and.not.to.contain('four')
      expect(error.type).to.equal('echo_error')
    })

    it('reads a stream with guardrail results', async () => {
      const guard = { id: 'no-two', contains: { operator: 'none', words: ['two'] } }
      const config = JSON.stringify({
        provider: 'echo',
        strict_compat_compliance: false,
        output_guardrails: [guard],
      })
      const { messages } = clientOf('echo', { 'x-gateway-config': config })
      const seen: string[] = []
      const stream = messages.stream(ask('one two three'))
      stream.on('streamEvent', ({ type }) => seen.push(type))
      expect(textOf(await stream.finalMessage())).to.equal('one two three')
      expect(seen).to.include('hook_results')
    })

    it("throws the gateway's errors by their class", async () => {
      const wrong = new Anthropic({ apiKey: 'wrong', baseURL: gateway.url, maxRetries: 0 })
      expect(await failureOf(wrong.messages.create(ask('x')))).to.be.instanceOf(Anthropic.AuthenticationError)
      const bad = await failureOf(clientOf('echo').messages.create(ask('x', { max_tokens: 0 })))
      expect(bad).to.be.instanceOf(Anthropic.BadRequestError)
      expect(bad.type).to.equal('invalid_request_error')
      const nobody = await failureOf(clientOf('nobody').messages.create(ask('x')))
      expect(nobody).to.be.instanceOf(Anthropic.NotFoundError)
    })

    it('chooses the provider by the model alone', async () => {
      const plain = new Anthropic({ apiKey: adminKey, baseURL: gateway.url, maxRetries: 0 })
      const answer = await plain.messages.create({ ...ask('one'), model: '@echo/echo-1' })
      expect([textOf(answer), answer.model]).to.deep.equal(['one', 'echo-1'])
    })

    it('works with its beta interface, too', async () => {
      const answer = await clientOf('echo').beta.messages.create({
        ...ask('one'),
        betas: ['of-tomorrow'],
      } as never)
      expect(answer).to.have.nested.property('content[0].text', 'one')
    })
  })

  it('makes no call outside this machine', () => {
    expect([...outgoing].filter((host) => !['127.0.0.1', '::1', 'localhost'].includes(host))).to.deep.equal(
      [],
    )
    expect([...outgoing]).to.include('127.0.0.1')
  })
})
