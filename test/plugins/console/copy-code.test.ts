/** Code that the console copies sends the same request as the console, with all parameters and the same routing. */
import { expect } from 'chai'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { firstOf, maker } from './furnish.ts'
import { copyAndRun } from './run-code.ts'
import { useConsole } from './suite.ts'

const own = { workspace_id: 'default' }

const called = { name: 'get_weather', arguments: '{"city":"Oslo"}' }
const messages = [
  { role: 'system', content: 'You are {{mood}}.' },
  { role: 'user', content: 'How is the weather?' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: called }] },
  { role: 'tool', tool_call_id: 'a', content: 'Rain' },
  { role: 'user', content: [{ type: 'text', text: 'And here?' }, picture('https://example.com/a.png')] },
]

const schema = {
  type: 'object',
  properties: { rain: { type: 'boolean' } },
  required: ['rain'],
  additionalProperties: false,
}

/** Every parameter that has a field, except the number of choices, and one parameter without a field. */
const parameters = {
  temperature: 0.3,
  top_p: 0.9,
  max_completion_tokens: 300,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  seed: 7,
  reasoning_effort: 'low',
  user: 'ada',
  stop: ['END'],
  parallel_tool_calls: false,
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
  logit_bias: { '50256': -100 },
}

function picture(url: string): object {
  return { type: 'image_url', image_url: { url } }
}

describe('code that the console copies', function () {
  let upstream: Upstream
  const suite = useConsole(this, {
    async prepare(gateway) {
      upstream = await openUpstream()
      upstream.handle((_, response) => sendJson(response, 200, chatAnswer('Sun.')))
      const make = maker(gateway)
      await make('/v1/integrations', {
        ...own,
        name: 'Vendor',
        ai_provider_id: 'openai',
        key: 'sk-test-0123456789',
        default_provider_slug: 'vendor',
        configurations: { custom_host: upstream.url },
      })
      await make('/v1/configs', { ...own, name: 'Route', slug: 'route', config: { provider: '@vendor' } })
      const prompt = { ...own, model: 'any', string: JSON.stringify(messages), parameters }
      await make('/v1/prompts', {
        ...prompt,
        name: 'By provider',
        slug: 'by-provider',
        virtual_key: 'vendor',
      })
      await make('/v1/prompts', { ...prompt, name: 'By config', slug: 'by-config', config: 'route' })
    },
  })
  after(() => upstream?.close())

  /** The playground also asks the provider for its models, at any time. */
  const chats = () => upstream.seen.filter(({ method }) => method === 'POST')

  const sentBy = async (send: () => Promise<unknown>) => {
    const before = chats().length
    await send()
    expect(chats()).to.have.lengthOf(before + 1)
    return chats()[before]?.json
  }

  for (const slug of ['by-provider', 'by-config']) {
    it(`sends all parameters of the prompt ${slug}, as curl and through both SDKs`, async () => {
      const { page } = suite
      await suite.open('Playground')
      await page.getByLabel('Prompt', { exact: true }).fill(slug)
      await page.getByLabel('Variables').fill('{"mood": "kind"}')
      await page.getByLabel('Parameters').fill('{"seed": 8}')
      const expected = {
        ...parameters,
        seed: 8,
        model: 'any',
        messages: [{ role: 'system', content: 'You are kind.' }, ...messages.slice(1)],
      }
      for (const language of ['curl', 'OpenAI', 'Anthropic'] as const) {
        const sent = await sentBy(() => copyAndRun(page, language))
        expect(sent, language).to.deep.equal(expected)
      }
    })
  }

  it('says why a prompt cannot be copied', async () => {
    const { page } = suite
    await suite.open('Playground')
    await page.getByLabel('Prompt', { exact: true }).fill('unknown')
    await page.getByRole('button', { name: 'Copy as OpenAI code' }).click()
    await page.getByText(/Not copied: .*unknown/).waitFor()
  })

  it('sends the parameters of the playground, which come from the log entry', async () => {
    const { page, gateway } = suite
    const asked = { model: 'any', messages: [messages[1]], temperature: 0.2, seed: 5 }
    const { headers } = await gateway.post('/v1/chat/completions', asked, { 'x-gateway-config': 'route' })
    const entry = await firstOf(gateway, `/v1/logs?trace_id=${headers.get('x-gateway-trace-id')}`)
    await suite.visit(`/logs/${String(entry.id)}`, 'Log entry')
    expect(await sentBy(() => copyAndRun(page, 'curl'))).to.deep.equal(asked)
    await page.getByRole('button', { name: 'To playground' }).click()
    await page.getByLabel('Config').fill('route')
    for (const language of ['OpenAI', 'Anthropic'] as const) {
      const sent = await sentBy(() => copyAndRun(page, language))
      expect(sent, language).to.include({ temperature: 0.2, seed: 5, model: 'any' })
    }
  })
})
