/** The `ai` package with its `@ai-sdk/anthropic` provider as the caller, unmodified, and the embedded provider behind. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, jsonSchema, streamText, tool } from 'ai'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'

describe('the ai package over /v1/messages', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  const model = (apiKey = adminKey) =>
    createAnthropic({
      apiKey,
      baseURL: `${gateway.url}/v1`,
      headers: { 'x-gateway-provider': '@echo' },
    })('echo-1')
  const prompt = 'one two three'
  const tools = {
    look: tool({
      description: 'd',
      inputSchema: jsonSchema<{ q: number }>({ type: 'object', properties: { q: { type: 'number' } } }),
      execute: ({ q }) => Promise.resolve(`found ${q}`),
    }),
  }
  const call = {
    model: model,
    prompt: '{"q":1}',
    tools,
    toolChoice: 'required' as const,
    maxOutputTokens: 50,
  }

  it('generates and streams text, with its tokens', async () => {
    const whole = await generateText({ model: model(), prompt, maxOutputTokens: 50 })
    expect([whole.text, whole.finishReason]).to.deep.equal([prompt, 'stop'])
    expect(whole.usage).to.include({ inputTokens: 3, outputTokens: 3 })
    const stream = streamText({ model: model(), prompt, maxOutputTokens: 50 })
    const pieces: string[] = []
    for await (const piece of stream.textStream) pieces.push(piece)
    expect(pieces).to.deep.equal(['one', ' two', ' three'])
    expect([await stream.finishReason, (await stream.usage).outputTokens]).to.deep.equal(['stop', 3])
  })

  it('calls tools, plain and streamed', async () => {
    const { toolResults } = await generateText({ ...call, model: model() })
    expect(toolResults[0]).to.deep.include({ toolName: 'look', input: { q: 1 }, output: 'found 1' })
    const stream = streamText({ ...call, model: model() })
    expect((await stream.toolResults)[0]).to.deep.include({
      toolName: 'look',
      input: { q: 1 },
      output: 'found 1',
    })
  })

  it("throws the gateway's error", async () => {
    const error: unknown = await generateText({ model: model('wrong'), prompt, maxRetries: 0 }).then(
      () => null,
      (caught: unknown) => caught,
    )
    expect(APICallError.isInstance(error)).to.equal(true)
    expect(error).to.include({ statusCode: 401, message: 'Unknown gateway key.' })
  })
})
