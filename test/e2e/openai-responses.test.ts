/**
 * The unmodified `openai` package as the caller of `/v1/responses`: with the embedded provider, and with a third-party
 * mock, once in a vendor's chat format and once in the native format.
 */
import { LLMock } from '@copilotkit/aimock'
import { expect } from 'chai'
import OpenAI from 'openai'
import { makeParseableTextFormat } from 'openai/lib/parser'
import { makeParseableResponseTool } from 'openai/lib/ResponsesParser'
import type { FunctionTool, ResponseStreamEvent } from 'openai/resources/responses/responses'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { watchOutgoing } from './outgoing.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'
const args = '{"city":"Paris"}'
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools: FunctionTool[] = [
  { type: 'function', name: 'get_weather', description: 'd', parameters, strict: false },
]

const clientOf = (gateway: TestGateway, headers: Record<string, string>) =>
  new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, maxRetries: 0, defaultHeaders: headers })

async function failure(asking: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await asking.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).to.be.instanceOf(OpenAI.APIError)
  return error as InstanceType<typeof OpenAI.APIError>
}

describe('the openai package with responses', () => {
  const outgoing = watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    // The first one that matches answers.
    mock.onToolResult('call_7', { content: 'It is sunny.' })
    mock.onMessage('greet me', { content: reply })
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: args, id: 'call_7' }] })
    mock.onMessage('as JSON', { content: args })
    await mock.start()
    const api_key = 'sk-mock'
    gateway = await startGateway({
      providers: {
        e: { provider: 'echo' },
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

  for (const [slug, model, path] of [
    ['openai', 'gpt-4.1', '/v1/responses'],
    ['anthropic', 'claude-sonnet-4-6', '/v1/messages'],
  ] as const) {
    describe(`with the mock as ${slug}`, () => {
      const client = () => clientOf(gateway, { 'x-gateway-provider': `@${slug}` })

      it('creates a response', async () => {
        const response = await client().responses.create({
          model,
          instructions: 'be kind',
          input: [{ role: 'user', content: [{ type: 'input_text', text: 'please greet me' }] }],
        })
        expect(response.output_text).to.equal(reply)
        expect(response).to.include({ object: 'response', status: 'completed', model })
        expect(mock.getLastRequest()?.path).to.equal(path)
      })

      it('streams a response', async () => {
        const stream = client().responses.stream({ model, input: 'greet me' })
        const pieces: string[] = []
        stream.on('response.output_text.delta', ({ delta }) => pieces.push(delta))
        const response = await stream.finalResponse()
        expect(pieces.join('')).to.equal(reply)
        expect(pieces.length).to.be.above(3)
        expect(response.output_text).to.equal(reply)
        expect(response.status).to.equal('completed')
      })

      for (const isStream of [false, true]) {
        it(`receives a call${isStream ? ' in a stream' : ''}`, async () => {
          const asked = { model, input: 'what weather is it?', tools }
          const response = isStream
            ? await client().responses.stream(asked).finalResponse()
            : await client().responses.create(asked)
          const [call] = response.output
          expect(call).to.include({ type: 'function_call', name: 'get_weather', call_id: 'call_7' })
          expect(JSON.parse((call as { arguments: string }).arguments)).to.deep.equal(JSON.parse(args))
        })
      }

      it('parses an answer by its schema', async () => {
        const format = makeParseableTextFormat(
          { type: 'json_schema', name: 'place', schema: parameters, strict: false },
          (text) => JSON.parse(text) as { city: string },
        )
        const response = await client().responses.parse({ model, input: 'say it as JSON', text: { format } })
        expect(response.output_parsed?.city).to.equal('Paris')
      })

      it('throws an error with the status of the vendor', async () => {
        mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error', code: 'too_fast' })
        // A separate model, because a target is left out after a 429 with a time.
        const error = await failure(
          client().responses.create({ model: `${model}-limited`, input: 'greet me' }),
        )
        expect(error).to.be.instanceOf(OpenAI.RateLimitError)
        expect(error.message).to.contain('slow down')
      })

      it('receives nothing of a denied answer', async () => {
        const guard = { id: 'no-mock', deny: true, contains: { operator: 'none', words: ['mock'] } }
        const config = JSON.stringify({ provider: `@${slug}`, output_guardrails: [guard] })
        const guarded = clientOf(gateway, { 'x-gateway-config': config })
        const asked = { model, input: 'greet me' }
        for (const asking of [
          guarded.responses.create(asked),
          guarded.responses.create({ ...asked, stream: true }),
          guarded.responses.stream(asked).finalResponse(),
        ]) {
          const error = await failure(asking as Promise<unknown>)
          expect([error.status, error.code]).to.deep.equal([446, 'guardrail_denied'])
        }
      })
    })
  }

  describe('of a provider that supports only chat', () => {
    const model = 'claude-sonnet-4-6'
    const client = () => clientOf(gateway, { 'x-gateway-provider': '@anthropic' })

    it('continues after a call with only the response id', async () => {
      const first = await client().responses.create({ model, input: 'what weather is it?', tools })
      const [call] = first.output
      const second = await client().responses.create({
        model,
        tools,
        previous_response_id: first.id,
        input: [
          { type: 'function_call_output', call_id: (call as { call_id: string }).call_id, output: 'sunny' },
        ],
      })
      expect(second.output_text).to.equal('It is sunny.')
      expect(second.previous_response_id).to.equal(first.id)
    })

    it('runs its own tool', async () => {
      const tool = makeParseableResponseTool(
        { ...tools[0], strict: true } as FunctionTool,
        {
          parser: (text: string) => JSON.parse(text) as { city: string },
          callback: undefined,
        } as never,
      )
      const response = await client().responses.parse({ model, input: 'what weather is it?', tools: [tool] })
      expect(response.output[0]).to.have.deep.property('parsed_arguments', { city: 'Paris' })
    })

    it('throws for a built-in tool of a vendor', async () => {
      const asked = {
        model,
        input: 'greet me',
        tools: [{ type: 'code_interpreter' as const, container: 'auto' }],
      }
      const error = await failure(client().responses.create(asked))
      expect(error).to.be.instanceOf(OpenAI.BadRequestError)
      expect([error.param, error.code]).to.deep.equal(['/tools/0/type', 'invalid_body'])
      expect(error.message).to.contain('anthropic')
    })
  })

  describe('with echo', () => {
    const model = '@e/echo-1'
    const client = () => clientOf(gateway, {})

    it('creates a response, with its tokens', async () => {
      const response = await client().responses.create({ model, input: 'one two three' })
      expect(response.output_text).to.equal('one two three')
      expect(response.usage).to.deep.include({ input_tokens: 3, output_tokens: 3, total_tokens: 6 })
    })

    it('receives every event in order', async () => {
      const events: ResponseStreamEvent[] = []
      const stream = await client().responses.create({ model, input: 'one two', stream: true })
      for await (const event of stream) events.push(event)
      expect(events.map(({ sequence_number: number }) => number)).to.deep.equal(events.map((_, at) => at))
      expect(events[events.length - 1]?.type).to.equal('response.completed')
    })

    it('reports a truncated response', async () => {
      const response = await client().responses.create({
        model,
        input: 'one two three',
        max_output_tokens: 2,
      })
      expect(response.status).to.equal('incomplete')
      expect(response.incomplete_details?.reason).to.equal('max_output_tokens')
    })

    it('reads, streams again, lists and deletes a response', async () => {
      const { responses } = client()
      const { id, output } = await responses.create({ model, input: 'hello', metadata: { a: 'b' } })
      const again = await responses.retrieve(id)
      expect(again.output).to.deep.equal(output)
      expect(again.metadata).to.deep.equal({ a: 'b' })
      expect((await responses.stream({ response_id: id }).finalResponse()).output_text).to.equal('hello')
      const next = await responses.create({ model, input: 'and', previous_response_id: id })
      const texts: unknown[] = []
      for await (const item of responses.inputItems.list(next.id, { order: 'asc', limit: 1 }))
        texts.push(item.type === 'message' ? (item.content[0] as { text?: string }).text : item.type)
      expect(texts).to.deep.equal(['hello', 'hello', 'and'])
      await responses.delete(id)
      expect(await failure(responses.retrieve(id))).to.be.instanceOf(OpenAI.NotFoundError)
    })

    it('throws for an unknown previous response', async () => {
      const error = await failure(
        client().responses.create({ model, input: 'x', previous_response_id: 'resp_unknown' }),
      )
      expect(error).to.be.instanceOf(OpenAI.NotFoundError)
      expect(error.param).to.equal('/previous_response_id')
    })

    it('throws in the middle of a stream that breaks off', async () => {
      const extra_body = { echo: { fail_after_tokens: 2 } }
      const body = { model, input: 'one two three', stream: true as const, extra_body }
      const seen: string[] = []
      const error = await failure(
        (async () => {
          for await (const event of await client().responses.create(body)) seen.push(event.type)
        })(),
      )
      expect(seen).to.include('response.output_text.delta').and.not.to.include('response.completed')
      expect(error.message).not.to.equal('')
    })
  })

  it('makes no call outside this machine', () => {
    expect([...outgoing].filter((host) => !['127.0.0.1', '::1', 'localhost'].includes(host))).to.deep.equal(
      [],
    )
  })
})
