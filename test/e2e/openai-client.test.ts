/** The vendor's own client, unmodified, with the gateway key as its `apiKey`, against the embedded provider. */
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'

describe('the openai package, with the gateway as its base URL', () => {
  let gateway: TestGateway
  let client: OpenAI

  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
  })
  after(() => gateway.stop())

  const messages = [{ role: 'user' as const, content: 'to be or not' }]

  it('completes a chat', async () => {
    const answer = await client.chat.completions.create({ model: '@echo/echo-1', messages })
    expect(answer.choices[0]?.message.content).to.equal('to be or not')
    expect(answer.model).to.equal('echo-1')
    expect(answer.usage?.total_tokens).to.equal(8)
  })

  it('streams a chat, with usage when it is asked for', async () => {
    const stream = await client.chat.completions.create({
      model: '@echo/echo-1',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let tokens = 0
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      tokens = chunk.usage?.total_tokens ?? tokens
    }
    expect([text, tokens]).to.deep.equal(['to be or not', 8])
  })

  it('calls a tool', async () => {
    const answer = await client.chat.completions.create({
      model: '@echo/echo-1',
      messages: [{ role: 'user', content: '{"city": "Oslo"}' }],
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
      tool_choice: 'required',
    })
    const call = answer.choices[0]?.message.tool_calls?.[0]
    expect(call).to.have.nested.property('function.name', 'weather')
    expect(call).to.have.nested.property('function.arguments', '{"city": "Oslo"}')
    expect(answer.choices[0]?.finish_reason).to.equal('tool_calls')
  })

  it('completes a text', async () => {
    const answer = await client.completions.create({ model: '@echo/echo-1', prompt: 'once upon' })
    expect(answer.choices[0]?.text).to.equal('once upon')
  })

  it('embeds, in both encodings', async () => {
    const request = { model: '@echo/echo-embed-1', input: ['one', 'two'], dimensions: 8 }
    const floats = await client.embeddings.create({ ...request, encoding_format: 'float' })
    const decoded = await client.embeddings.create(request)
    expect(floats.data.map(({ embedding }) => embedding.length)).to.deep.equal([8, 8])
    expect(decoded.data[0]?.embedding).to.deep.equal(floats.data[0]?.embedding)
  })

  it('makes an image', async () => {
    const answer = await client.images.generate({
      model: '@echo/echo-image-1',
      prompt: 'a dot',
      response_format: 'b64_json',
    })
    const bytes = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG')
  })

  it('lists models', async () => {
    const ids: string[] = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids).to.include('@echo/echo-1')
  })

  const errors: [title: string, expected: string, run: () => Promise<unknown>][] = [
    [
      'a wrong key',
      'AuthenticationError invalid_api_key',
      () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'wrong', maxRetries: 0 }).models.list(),
    ],
    [
      'a value out of range',
      'BadRequestError invalid_body',
      () => client.chat.completions.create({ model: '@echo/echo-1', messages, temperature: 9 }),
    ],
    [
      'an unknown slug',
      'NotFoundError unknown_virtual_key',
      () => client.chat.completions.create({ model: '@nobody/x', messages }),
    ],
    [
      'a provider that is overrun',
      'RateLimitError echo_error',
      () =>
        client.chat.completions.create(
          { model: 'echo-1', messages },
          {
            headers: {
              'x-gateway-config': JSON.stringify({
                provider: '@echo',
                override_params: { echo: { status: 429, retry_after: 7 } },
              }),
            },
          },
        ),
    ],
  ]
  for (const [title, expected, run] of errors) {
    it(`throws its own error for ${title}`, async () => {
      const error = await run().then(
        () => null,
        (reason: unknown) => reason,
      )
      if (!(error instanceof OpenAI.APIError)) throw new Error('The client threw no error of its own.')
      expect(`${error.constructor.name} ${error.code}`).to.equal(expected)
    })
  }

  it('throws when a stream breaks off', async () => {
    const options = {
      headers: {
        'x-gateway-config': JSON.stringify({
          provider: '@echo',
          override_params: { echo: { fail_after_tokens: 2 } },
        }),
      },
    }
    const stream = await client.chat.completions.create({ model: 'echo-1', messages, stream: true }, options)
    let text = ''
    const error = await (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
      return null
    })().catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(OpenAI.APIError)
    expect('to be or not'.startsWith(text)).to.equal(true)
    expect(text).not.to.equal('to be or not')
  })

  it('aborts a stream that is under way', async () => {
    const options = {
      headers: {
        'x-gateway-config': JSON.stringify({
          provider: '@echo',
          override_params: { echo: { tokens_per_second: 10, reply: 'word '.repeat(500) } },
        }),
      },
    }
    const stream = await client.chat.completions.create({ model: 'echo-1', messages, stream: true }, options)
    let chunks = 0
    for await (const _ of stream) {
      chunks += 1
      if (chunks === 2) stream.controller.abort()
    }
    expect(chunks).to.be.lessThan(10)
  })
})
