/** Upstreams that were written elsewhere: `@copilotkit/aimock` as OpenAI and as Anthropic, the vendor's client in front. */
import { LLMock } from '@copilotkit/aimock'
import { expect } from 'chai'
import OpenAI from 'openai'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'

for (const provider of ['openai', 'anthropic']) {
  describe(`aimock as ${provider}`, () => {
    let mock: LLMock
    let gateway: TestGateway
    let client: OpenAI
    const model = provider === 'anthropic' ? '@up/claude-3-5-sonnet-20241022' : '@up/gpt-4o'
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'get_weather',
          description: 'Weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ]

    before(async () => {
      mock = new LLMock({ port: 0, host: '127.0.0.1' })
      mock.onMessage('hello', { content: 'Hi there, Zoë! 👋' })
      mock.onMessage('weather', {
        toolCalls: [
          { name: 'get_weather', arguments: '{"city":"Oslo"}' },
          { name: 'get_weather', arguments: '{"city":"Rome"}' },
        ],
      })
      await mock.start()
      gateway = await startGateway({
        providers: { up: { provider, api_key: 'mock', custom_host: `${mock.url}/v1` } },
      })
      client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
    })
    after(async () => {
      await gateway.stop()
      await mock.stop()
    })

    const ask = (content: string) => [{ role: 'user' as const, content }]

    it('completes a chat', async () => {
      const answer = await client.chat.completions.create({ model, messages: ask('hello') })
      expect(answer.choices[0]?.message).to.include({ role: 'assistant', content: 'Hi there, Zoë! 👋' })
      expect(answer.choices[0]?.finish_reason).to.equal('stop')
      expect(answer.object).to.equal('chat.completion')
    })

    it('streams a chat', async () => {
      const stream = await client.chat.completions.create({ model, messages: ask('hello'), stream: true })
      let text = ''
      let finish: string | null = null
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? ''
        finish = chunk.choices[0]?.finish_reason ?? finish
      }
      expect([text, finish]).to.deep.equal(['Hi there, Zoë! 👋', 'stop'])
    })

    it('calls tools side by side', async () => {
      const answer = await client.chat.completions.create({ model, messages: ask('weather'), tools })
      const calls = answer.choices[0]?.message.tool_calls ?? []
      expect(calls.map((call) => (call.type === 'function' ? call.function.arguments : ''))).to.deep.equal([
        '{"city":"Oslo"}',
        '{"city":"Rome"}',
      ])
      expect(new Set(calls.map(({ id }) => id)).size).to.equal(2)
      expect(answer.choices[0]?.finish_reason).to.equal('tool_calls')
    })

    it('streams tool calls', async () => {
      const stream = await client.chat.completions.create({
        model,
        messages: ask('weather'),
        tools,
        stream: true,
      })
      const calls: { name: string; arguments: string }[] = []
      for await (const chunk of stream) {
        for (const { index, function: part } of chunk.choices[0]?.delta.tool_calls ?? []) {
          calls[index] ??= { name: '', arguments: '' }
          calls[index].name += part?.name ?? ''
          calls[index].arguments += part?.arguments ?? ''
        }
      }
      expect(calls).to.deep.equal([
        { name: 'get_weather', arguments: '{"city":"Oslo"}' },
        { name: 'get_weather', arguments: '{"city":"Rome"}' },
      ])
    })

    it('takes tool results back', async () => {
      const call = (id: string) => ({
        id,
        type: 'function' as const,
        function: { name: 'get_weather', arguments: '{}' },
      })
      const answer = await client.chat.completions.create({
        model,
        tools,
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: null, tool_calls: [call('call_1'), call('call_2')] },
          { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
          { role: 'tool', tool_call_id: 'call_2', content: 'rain' },
          { role: 'user', content: 'hello again' },
        ],
      })
      expect(answer.choices[0]?.message.content).to.equal('Hi there, Zoë! 👋')
    })
  })
}
