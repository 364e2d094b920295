/** The `openai` package as the caller, unmodified, and the embedded provider behind the gateway. */
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'

describe('the openai package with echo', () => {
  let gateway: TestGateway
  let client: OpenAI
  before(async () => {
    gateway = await startGateway({
      providers: { e: { provider: 'echo' } },
      configs: { saved: { provider: '@e' }, retried: { provider: '@e', retry: { attempts: 1 } } },
    })
    client = new OpenAI({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-config': 'saved' },
    })
  })
  after(() => gateway.stop())

  const messages = [{ role: 'user' as const, content: 'one two three' }]
  const model = 'echo-1'
  const parameters = { type: 'object', properties: { q: { type: 'string' } } }
  const tools = [{ type: 'function' as const, function: { name: 'search', parameters } }]

  it('completes a chat', async () => {
    const answer = await client.chat.completions.create({ model, messages })
    expect(answer.choices[0]?.message.content).to.equal('one two three')
    expect(answer.choices[0]?.finish_reason).to.equal('stop')
    expect(answer.object).to.equal('chat.completion')
    expect(answer.usage).to.include({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 })
  })

  it("reads the gateway's response headers", async () => {
    const { response } = await client.chat.completions.create({ model, messages }).withResponse()
    expect(response.headers.get('x-gateway-provider')).to.equal('echo')
    expect(response.headers.get('x-gateway-trace-id')).to.be.a('string')
  })

  it('streams a chat, with its usage', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: unknown
    let reason: unknown
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      reason = chunk.choices[0]?.finish_reason ?? reason
      usage = chunk.usage ?? usage
    }
    expect([text, reason]).to.deep.equal(['one two three', 'stop'])
    expect(usage).to.include({ completion_tokens: 3 })
  })

  it('collects a stream with several choices', async () => {
    const answer = await client.chat.completions.stream({ model, messages, n: 2 }).finalChatCompletion()
    expect(answer.choices.map(({ message }) => message.content)).to.deep.equal([
      'one two three',
      'one two three',
    ])
  })

  for (const stream of [false, true]) {
    it(`calls a tool${stream ? ', as a stream' : ''}`, async () => {
      const asked = {
        model,
        messages: [{ role: 'user' as const, content: '{"q":"cats"}' }],
        tools,
        tool_choice: 'required' as const,
      }
      const answer = stream
        ? await client.chat.completions.stream(asked).finalChatCompletion()
        : await client.chat.completions.create(asked)
      expect(answer.choices[0]?.finish_reason).to.equal('tool_calls')
      const [call] = answer.choices[0]?.message.tool_calls ?? []
      expect(call).to.have.property('type', 'function')
      expect(call).to.have.deep.nested.property('function.name', 'search')
      expect(call).to.have.deep.nested.property('function.arguments', '{"q":"cats"}')
    })
  }

  it('creates embeddings, by default in base64', async () => {
    const answer = await client.embeddings.create({
      model: 'echo-embed-1',
      input: ['a', 'b', 'a'],
      dimensions: 8,
    })
    const [first, second, third] = answer.data.map(({ embedding }) => embedding)
    expect(first).to.have.length(8)
    expect(first).to.deep.equal(third).and.not.to.deep.equal(second)
    const floats = await client.embeddings.create({
      model: 'm',
      input: 'a',
      dimensions: 8,
      encoding_format: 'float',
    })
    expect(floats.data[0]?.embedding.map(Math.fround)).to.deep.equal(first?.map(Math.fround))
  })

  it('generates images', async () => {
    const answer = await client.images.generate({
      model: 'm',
      prompt: 'a cat',
      n: 2,
      response_format: 'b64_json',
    })
    expect(answer.data).to.have.length(2)
    const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG')
  })

  it('completes a text, plain and streamed', async () => {
    const asked = { model, prompt: 'one two', max_tokens: 1 }
    const answer = await client.completions.create(asked)
    expect(answer.choices[0]).to.include({ text: 'one', finish_reason: 'length' })
    let text = ''
    for await (const chunk of await client.completions.create({ ...asked, stream: true }))
      text += chunk.choices[0]?.text ?? ''
    expect(text).to.equal('one')
    const echoed = await client.completions.create({ ...asked, max_tokens: 9, echo: true })
    expect(echoed.choices[0]?.text).to.equal('one twoone two')
  })

  it('lists the models, page by page', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids).to.include.members(['@e/echo-1', '@e/echo-embed-1'])
  })

  it('chooses the provider by the model alone', async () => {
    const plain = new OpenAI({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const answer = await plain.chat.completions.create({ model: '@e/echo-1', messages })
    expect(answer.choices[0]?.message.content).to.equal('one two three')
    expect(answer.model).to.equal('echo-1')
  })

  it('receives guardrail results with an answer, and a denial as an error', async () => {
    const config = (deny: boolean) => {
      const guard = { id: 'no-two', deny, contains: { operator: 'none', words: ['two'] } }
      return {
        headers: { 'x-gateway-config': JSON.stringify({ provider: 'echo', input_guardrails: [guard] }) },
      }
    }
    const answer = await client.chat.completions.create({ model, messages }, config(false))
    expect(answer).to.have.nested.property('hook_results.before_request_hooks[0].verdict', false)
    const error = await failure(client.chat.completions.create({ model, messages }, config(true)))
    expect(error).to.be.instanceOf(OpenAI.APIError)
    expect([error.status, error.code, error.type]).to.deep.equal([446, 'guardrail_denied', 'hooks_failed'])
  })
})

async function failure(asking: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await asking.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).to.be.instanceOf(Error)
  return error as InstanceType<typeof OpenAI.APIError>
}
