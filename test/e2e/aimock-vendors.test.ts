/**
 * The unmodified `ai` package with its compatible provider as the caller, and a third-party mock for each vendor that
 * it supports: text, streams, tools, and errors.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { LLMock } from '@copilotkit/aimock'
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { watchOutgoing } from './outgoing.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'

/** The stored credential for the mock at `url`, and a model, by provider. */
const vendors: Record<string, { model: string; entry(url: string): Record<string, unknown> }> = {
  openai: { model: 'gpt-4.1', entry: (url) => ({ api_key: 'sk', custom_host: `${url}/v1` }) },
  anthropic: { model: 'claude-sonnet-4-6', entry: (url) => ({ api_key: 'sk', custom_host: `${url}/v1` }) },
  google: { model: 'gemini-2.5-flash', entry: (url) => ({ api_key: 'k', custom_host: `${url}/v1beta` }) },
  'vertex-ai': {
    model: 'gemini-2.5-flash',
    entry: (url) => ({
      api_key: 'token',
      custom_host: `${url}/v1`,
      cloudC_project_id: 'p',
      cloudC_region: 'us-central1',
    }),
  },
  bedrock: {
    model: 'anthropic.claude-3-5-sonnet-20241022-v2:0',
    entry: (url) => ({
      cloudA_access_key_id: 'AKIAEXAMPLE',
      cloudA_secret_access_key: 'secret',
      cloudA_region: 'us-east-1',
      custom_host: url,
    }),
  },
  'azure-openai': {
    model: 'gpt-4o',
    entry: (url) => ({
      api_key: 'k',
      custom_host: `${url}/openai`,
      api_version: '2024-10-21',
      deployment_id: 'gpt-4o',
    }),
  },
  cohere: { model: 'command-a-03-2025', entry: (url) => ({ api_key: 'k', custom_host: `${url}/v2` }) },
  ollama: { model: 'llama3.2', entry: (url) => ({ custom_host: `${url}/v1` }) },
  groq: { model: 'llama-3.3-70b-versatile', entry: (url) => ({ api_key: 'k', custom_host: `${url}/v1` }) },
}

describe('the ai package, the gateway and a mock of many vendors', () => {
  watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onMessage('greet me', { content: reply })
    mock.on(
      { userMessage: 'weather', hasToolResult: false },
      { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }] },
    )
    mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny.' })
    mock.onMessage('fail', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429 })
    await mock.start()
    gateway = await startGateway({
      providers: Object.fromEntries(
        Object.entries(vendors).map(([provider, { entry }]) => [provider, { provider, ...entry(mock.url) }]),
      ),
    })
  })
  after(async () => {
    await gateway.stop()
    await mock.stop()
  })

  for (const [provider, { model: name }] of Object.entries(vendors)) {
    describe(`as ${provider}`, () => {
      const model = () =>
        createOpenAICompatible({
          name: 'gateway',
          apiKey: adminKey,
          baseURL: `${gateway.url}/v1`,
          includeUsage: true,
          headers: { 'x-gateway-provider': `@${provider}` },
        })(name)
      const tools = {
        get_weather: tool({
          description: 'Tells the weather of a city.',
          inputSchema: jsonSchema<{ city: string }>({
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          }),
          execute: ({ city }) => Promise.resolve(`sunny in ${city}`),
        }),
      }

      it('generates text', async () => {
        const { text, finishReason } = await generateText({
          model: model(),
          prompt: 'please greet me',
          maxRetries: 0,
        })
        expect([text, finishReason]).to.deep.equal([reply, 'stop'])
      })

      it('streams text in several chunks', async () => {
        const stream = streamText({ model: model(), prompt: 'please greet me', maxRetries: 0 })
        const pieces: string[] = []
        for await (const piece of stream.textStream) pieces.push(piece)
        expect(pieces.join('')).to.equal(reply)
        expect(pieces.length).to.be.above(1)
        expect(await stream.finishReason).to.equal('stop')
      })

      for (const [how, run] of [
        ['whole', generateText],
        ['streamed', streamText],
      ] as const) {
        it(`calls a tool and sends its result, ${how}`, async () => {
          const result = run({
            model: model(),
            prompt: 'what is the weather',
            tools,
            stopWhen: stepCountIs(3),
            maxRetries: 0,
          })
          const { steps, text } = await result
          const taken = await steps
          expect(taken[0]?.toolCalls[0]).to.deep.include({
            toolName: 'get_weather',
            input: { city: 'Paris' },
          })
          expect(await text).to.equal('It is sunny.')
        })
      }

      it('reports an error with the status of the vendor', async () => {
        const failure: unknown = await generateText({
          model: model(),
          prompt: 'please fail',
          maxRetries: 0,
        }).then(
          () => null,
          (error: unknown) => error,
        )
        expect(APICallError.isInstance(failure), String(failure)).to.equal(true)
        if (APICallError.isInstance(failure)) expect(failure.statusCode).to.equal(429)
      })
    })
  }
})
