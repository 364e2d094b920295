/** The unmodified `ai` package and its provider for `/v1/responses`: it refers to earlier items by their ids. */
import { createOpenAI } from '@ai-sdk/openai'
import { LLMock } from '@copilotkit/aimock'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'

describe('the ai package with responses of a provider that supports only chat', () => {
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onToolResult('call_7', { content: 'It is sunny.' })
    mock.onMessage('weather', {
      content: 'Let me see.',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'call_7' }],
    })
    await mock.start()
    gateway = await startGateway({
      providers: { anthropic: { provider: 'anthropic', api_key: 'sk', custom_host: `${mock.url}/v1` } },
    })
  })
  after(async () => {
    await gateway.stop()
    await mock.stop()
  })

  /** Bodies that the package sent. */
  let sent: string[] = []
  beforeEach(() => {
    sent = []
  })
  const model = () =>
    createOpenAI({
      fetch: (url, init) => {
        sent.push(String(init?.body))
        return fetch(url, init)
      },
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      headers: { 'x-gateway-provider': '@anthropic' },
    }).responses('claude-sonnet-4-6')

  const get_weather = tool({
    description: 'd',
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => `sunny in ${city}`,
  })
  const asked = () => ({
    model: model(),
    prompt: 'what weather is it?',
    tools: { get_weather },
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  })

  it('runs several steps', async () => {
    const { text, steps } = await generateText(asked())
    expect(text).to.equal('It is sunny.')
    expect(steps.map(({ toolCalls }) => toolCalls.length)).to.deep.equal([1, 0])
    expect(sent[1]).to.contain('item_reference').and.not.to.contain('Let me see.')
    const { messages } = (mock.getLastRequest()?.body ?? {}) as { messages: { role: string }[] }
    expect(messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'tool'])
    expect(JSON.stringify(messages)).to.contain('Let me see.').and.to.contain('sunny in Paris')
  })

  it('runs several streamed steps', async () => {
    const { text, finishReason, usage } = streamText(asked())
    expect(await text).to.equal('It is sunny.')
    expect(await finishReason).to.equal('stop')
    expect((await usage).totalTokens).to.be.a('number')
  })
})
