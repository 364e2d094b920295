/** The playground shows every kind of content: tool calls while they stream, reasoning, refusals, and an empty answer. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { accessibilityFaults } from './browser.ts'
import { maker } from './furnish.ts'
import { useConsole } from './suite.ts'

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'any',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

const call = (index: number, part: object) => ({ tool_calls: [{ index, ...part }] })

const cases: readonly {
  title: string
  deltas: readonly object[]
  finish: string
  shown: readonly string[]
}[] = [
  {
    title: 'two tool calls without text, their arguments indented',
    deltas: [
      { role: 'assistant', content: null },
      call(0, { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '' } }),
      call(0, { function: { arguments: '{"city":' } }),
      call(0, { function: { arguments: '"Paris"}' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'get_time', arguments: '{}' } }),
    ],
    finish: 'tool_calls',
    shown: ['Tool call: get_weather', '{\n  "city": "Paris"\n}', 'Tool call: get_time'],
  },
  {
    title: 'a call in the older format of functions',
    deltas: [
      { role: 'assistant', content: null, function_call: { name: 'look_up', arguments: '' } },
      { function_call: { arguments: '{"id":7}' } },
    ],
    finish: 'function_call',
    shown: ['Tool call: look_up', '{\n  "id": 7\n}'],
  },
  {
    title: 'a refusal',
    deltas: [{ role: 'assistant', refusal: 'I cannot ' }, { refusal: 'help with that.' }],
    finish: 'stop',
    shown: ['Refusal', 'I cannot help with that.'],
  },
  {
    title: 'reasoning before the text',
    deltas: [
      { role: 'assistant', reasoning_content: 'Let me ' },
      { reasoning_content: 'see.' },
      { content: 'Four.' },
    ],
    finish: 'stop',
    shown: ['Reasoning', 'Let me see.', 'Four.'],
  },
  {
    title: 'an answer without any content',
    deltas: [{ role: 'assistant', content: '' }],
    finish: 'stop',
    shown: ['The answer is empty.'],
  },
]

describe('the answer of the playground', function () {
  let upstream: Upstream
  const suite = useConsole(this, {
    async prepare(gateway) {
      upstream = await openUpstream()
      await maker(gateway)('/v1/integrations', {
        workspace_id: 'default',
        name: 'Tools',
        ai_provider_id: 'openai',
        key: 'sk-test-0123456789',
        default_provider_slug: 'tools',
        configurations: { custom_host: upstream.url },
      })
    },
  })
  after(() => upstream?.close())

  const ask = async () => {
    const { page } = suite
    await suite.open('Playground')
    await page.getByLabel('Model').fill('@tools/any')
    await page.getByLabel('Message').fill('hello')
    await page.getByRole('button', { name: 'Send' }).click()
    return page.getByRole('log')
  }

  for (const { title, deltas, finish, shown } of cases) {
    it(`shows ${title}`, async () => {
      upstream.handle((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end([...deltas.map((one) => chunk(one)), chunk({}, finish), 'data: [DONE]\n\n'].join(''))
      })
      const log = await ask()
      await suite.page.locator('[role="log"][aria-busy="false"]').waitFor()
      const text = (await log.textContent()) ?? ''
      let from = 0
      for (const part of shown) {
        expect(text.indexOf(part, from), `${part} in ${text}`).to.be.at.least(from)
        from = text.indexOf(part, from) + part.length
      }
      expect(await suite.page.getByRole('alert').count()).to.equal(0)
      expect(await accessibilityFaults(suite.page)).to.deep.equal([])
    })
  }

  it('shows the beginning of a tool call while the rest still streams', async () => {
    let open: ServerResponse | undefined
    upstream.handle((_, response) => {
      open = response
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const first = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{"city":' } }
      response.write(chunk({ role: 'assistant', content: null }) + chunk(call(0, first)))
    })
    const log = await ask()
    await log.getByText('get_weather').waitFor()
    await log.getByText('{"city":').waitFor()
    expect(await log.getAttribute('aria-busy')).to.equal('true')
    const rest = [chunk(call(0, { function: { arguments: '"Oslo"}' } })), chunk({}, 'tool_calls')]
    open?.end([...rest, 'data: [DONE]\n\n'].join(''))
    await log.getByText('"city": "Oslo"').waitFor()
  })
})
