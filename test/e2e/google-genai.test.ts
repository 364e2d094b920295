/**
 * The unmodified `@google/genai` package as the caller: with the embedded provider, and with a third-party mock that
 * supports its format natively and another vendor's through the translation.
 */
import { LLMock } from '@copilotkit/aimock'
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  Type,
} from '@google/genai'
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import { watchOutgoing } from './outgoing.ts'

const reply = 'Hello, this is the mock speaking in more than one chunk.'
const args = { city: 'Paris' }

const tools = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        description: 'd',
        parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
      },
    ],
  },
]

async function failureOf(asking: Promise<unknown>): Promise<ApiError> {
  const error = await asking.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).to.be.instanceOf(ApiError)
  return error as ApiError
}

async function collect(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const all: GenerateContentResponse[] = []
  for await (const chunk of stream) all.push(chunk)
  return all
}

const textOf = (chunks: readonly GenerateContentResponse[]): string =>
  chunks.map(({ text }) => text ?? '').join('')

describe('the @google/genai package', () => {
  const outgoing = watchOutgoing()
  let gateway: TestGateway
  let mock: LLMock
  before(async () => {
    mock = new LLMock({ host: '127.0.0.1', port: 0, chunkSize: 7 })
    mock.onMessage('greet me', { content: reply })
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: JSON.stringify(args) }] })
    await mock.start()
    const api_key = 'sk-mock'
    gateway = await startGateway({
      providers: {
        echo: { provider: 'echo' },
        openai: { provider: 'openai', api_key, custom_host: `${mock.url}/v1` },
        google: { provider: 'google', api_key, custom_host: `${mock.url}/v1beta` },
        anthropic: { provider: 'anthropic', api_key, custom_host: `${mock.url}/v1` },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await mock.stop()
  })
  beforeEach(() => mock.clearRequests())

  /** The gateway key is sent as the package's own `x-goog-api-key`. */
  const clientOf = (slug: string | null, headers: Record<string, string> = {}, apiKey = adminKey) =>
    new GoogleGenAI({
      apiKey,
      httpOptions: {
        baseUrl: gateway.url,
        headers: { ...(slug === null ? {} : { 'x-gateway-provider': `@${slug}` }), ...headers },
      },
    })

  for (const [slug, model] of [
    ['google', 'gemini-2.5-flash'],
    ['openai', 'gpt-4.1'],
    ['anthropic', 'claude-sonnet-4-6'],
  ] as const) {
    describe(`with a mock as ${slug}`, () => {
      const models = () => clientOf(slug).models

      it('generates content', async () => {
        const answer = await models().generateContent({
          model,
          contents: 'please greet me',
          config: { systemInstruction: 'be kind' },
        })
        expect(answer.text).to.equal(reply)
        expect(answer.candidates?.[0]?.finishReason).to.equal('STOP')
        expect(answer.usageMetadata?.candidatesTokenCount).to.be.a('number')
      })

      it('streams content in several chunks', async () => {
        const chunks = await collect(await models().generateContentStream({ model, contents: 'greet me' }))
        expect(textOf(chunks)).to.equal(reply)
        expect(chunks.length).to.be.above(3)
        expect(chunks.at(-1)?.candidates?.[0]?.finishReason).to.equal('STOP')
      })

      for (const isStream of [false, true])
        it(`calls a function${isStream ? ' in a stream' : ''}`, async () => {
          const asked = { model, contents: 'what weather is it?', config: { tools } }
          const answers = isStream
            ? await collect(await models().generateContentStream(asked))
            : [await models().generateContent(asked)]
          const [call, ...others] = answers.flatMap(({ functionCalls }) => functionCalls ?? [])
          expect(others).to.deep.equal([])
          expect(call).to.deep.include({ name: 'get_weather', args })
        })

      it('keeps a chat whose answers stream', async () => {
        const chat = clientOf(slug).chats.create({ model })
        await collect(await chat.sendMessageStream({ message: 'greet me' }))
        const history = chat.getHistory(true)
        expect(history.map(({ role }) => role)[0]).to.equal('user')
        expect(history.slice(1).every(({ role }) => role === 'model')).to.equal(true)
        await collect(await chat.sendMessageStream({ message: 'greet me again, please greet me' }))
        const last = mock.getLastRequest()
        const { messages = [] } = (last?.body ?? {}) as { messages?: { role: string; content: unknown }[] }
        const said = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
        expect(
          said
            .flat()
            .map((one) => (typeof one === 'string' ? one : (one as { text: string }).text))
            .join(''),
        ).to.equal(reply)
      })

      it('throws an error by the status of the vendor', async () => {
        for (const status of [400, 429, 500]) {
          mock.nextRequestError(status, { message: 'not now', type: 'told', code: 'told' })
          // A separate model, because a target is left out after a 429 with a time.
          const asked = { model: `${model}-${status}`, contents: 'x' }
          const error = await failureOf(models().generateContent(asked))
          expect(error.status).to.equal(status)
          expect(JSON.parse(error.message).error).to.deep.include({ code: status, message: 'not now' })
        }
      })
    })
  }

  describe('with echo', () => {
    const model = 'echo-1'
    const models = (headers: Record<string, string> = {}) => clientOf('echo', headers).models

    it('receives an answer, plain and streamed, with its tokens', async () => {
      const whole = await models().generateContent({ model, contents: 'one two three' })
      expect(whole.text).to.equal('one two three')
      expect(whole.usageMetadata).to.include({
        promptTokenCount: 3,
        candidatesTokenCount: 3,
        totalTokenCount: 6,
      })
      const chunks = await collect(await models().generateContentStream({ model, contents: 'one two three' }))
      expect(textOf(chunks)).to.equal('one two three')
      expect(chunks.at(-1)?.usageMetadata).to.include({ totalTokenCount: 6 })
      expect(chunks.at(-1)?.responseId).to.be.a('string').and.not.to.equal('')
    })

    it('receives the finish reason of a limit', async () => {
      const answer = await models().generateContent({
        model,
        contents: 'one two',
        config: { maxOutputTokens: 1 },
      })
      expect(answer.candidates?.[0]?.finishReason).to.equal('MAX_TOKENS')
    })

    it('calls a required function, and sends its result back', async () => {
      const functionCallingConfig = {
        mode: FunctionCallingConfigMode.ANY,
        allowedFunctionNames: ['get_weather'],
      }
      const config = { tools, toolConfig: { functionCallingConfig } }
      const answer = await models().generateContent({ model, contents: '{"city":"Paris"}', config })
      const [call] = answer.functionCalls ?? []
      expect(call).to.deep.include({ name: 'get_weather', args })
      const content = answer.candidates?.[0]?.content as Content
      const functionResponse = { id: call?.id ?? '', name: 'get_weather', response: { output: 'sunny' } }
      const contents = [
        { role: 'user', parts: [{ text: 'x' }] },
        content,
        { role: 'user', parts: [{ functionResponse }] },
      ]
      expect((await models().generateContent({ model, contents })).text).to.be.a('string')
    })

    it('sends images, and JSON schemas in both spellings', async () => {
      const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
      const schema = { type: Type.OBJECT, properties: { a: { type: Type.STRING } } }
      for (const config of [
        { responseMimeType: 'application/json', responseSchema: schema },
        { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } },
      ]) {
        const answer = await models().generateContent({ model, contents: ['{"a":"b"}', image], config })
        expect(answer.text).to.be.a('string').and.not.to.equal('')
      }
    })

    it('counts tokens, embeds and lists models', async () => {
      const counted = await models().countTokens({ model, contents: 'twelve chars' })
      expect(counted.totalTokens).to.be.above(2)
      const embedded = await models().embedContent({ model, contents: ['one', 'two'] })
      expect(embedded.embeddings).to.have.length(2)
      expect(embedded.embeddings?.[0]?.values?.length).to.be.above(0)
      const names: string[] = []
      for await (const each of await models().list({ config: { pageSize: 2 } })) names.push(each.name ?? '')
      expect(names.some((name) => name.endsWith('echo-1'))).to.equal(true)
      const one = await models().get({ model: names.find((name) => name.endsWith('echo-1')) ?? '' })
      expect(one.name).to.contain('echo-1')
    })

    it('throws the errors of the gateway', async () => {
      const wrong = await failureOf(
        clientOf('echo', {}, 'wrong').models.generateContent({ model, contents: 'x' }),
      )
      expect(wrong.status).to.equal(401)
      const nobody = await failureOf(clientOf('nobody').models.generateContent({ model, contents: 'x' }))
      expect(nobody.status).to.equal(404)
      const config = JSON.stringify({
        provider: 'echo',
        input_guardrails: [{ id: 'no-two', deny: true, contains: { operator: 'none', words: ['two'] } }],
      })
      const denied = await failureOf(
        clientOf(null, { 'x-gateway-config': config }).models.generateContent({ model, contents: 'one two' }),
      )
      expect(denied.status).to.equal(446)
      expect(denied.message).to.contain('no-two')
    })

    it('throws for a stream that breaks off, which never looks complete', async () => {
      const headers = {
        'x-gateway-config': JSON.stringify({
          provider: 'echo',
          override_params: { echo: { fail_after_tokens: 2 } },
        }),
      }
      const stream = await clientOf(null, headers).models.generateContentStream({
        model,
        contents: 'one two three four',
      })
      let text = ''
      const reading = (async () => {
        for await (const chunk of stream) text += chunk.text ?? ''
      })()
      const error = await failureOf(reading)
      expect(text).to.match(/^one/).and.not.to.contain('four')
      expect(error.status).to.be.above(399)
    })

    it('chooses the provider by the model alone', async () => {
      const answer = await clientOf(null).models.generateContent({ model: '@echo/echo-1', contents: 'one' })
      expect([answer.text, answer.modelVersion]).to.deep.equal(['one', 'echo-1'])
    })
  })

  describe('afterwards', () => {
    it('has made no call outside this machine', () => {
      expect([...outgoing].filter((host) => !['127.0.0.1', '::1', 'localhost'].includes(host))).to.deep.equal(
        [],
      )
      expect([...outgoing]).to.include('127.0.0.1')
    })
  })
})
