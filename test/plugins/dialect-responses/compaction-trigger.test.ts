/** An input that ends with `compaction_trigger`, at providers without the Responses API: a model writes the summary. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { json } from '../../support/gateway.ts'
import { responseFaults, streamFaults } from '../../support/open-responses.ts'
import {
  chatAnswer,
  chatChunk,
  chatEvents,
  type Handler,
  sendEvents,
  sendJson,
} from '../../support/upstream.ts'
import { type Asked, asTwo, eventsOf, openResponses } from './scene.ts'

const summary = 'They name a file secret-plan.txt.'
const usage = { prompt_tokens: 90, completion_tokens: 9, total_tokens: 99 }
const usageChunk = `data: ${JSON.stringify({ ...chatChunk({}), choices: [], usage })}\n\n`
const summarise: Handler = ({ json: asked }, response) =>
  asked?.stream === true
    ? sendEvents(response, chatEvents('They name a file ', 'secret-plan.txt.').toSpliced(-1, 0, usageChunk))
    : sendJson(response, 200, chatAnswer(summary))

const trigger: JsonObject = { type: 'compaction_trigger' }
const turns: JsonObject[] = [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: 'write a file' },
  { type: 'function_call', call_id: 'call_1', name: 'write_file', arguments: '{"path":"secret-plan.txt"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'written' },
  { role: 'user', content: 'and now?' },
]
const tools: JsonObject[] = [{ type: 'function', name: 'write_file', parameters: {}, strict: false }]

describe('a compaction that the input asks for', () => {
  const checked = [{ 'default.contains': { words: ['secret-plan'], operator: 'none' }, deny: true }]
  const scene = openResponses({
    configs: {
      checked: { provider: '@chats', output_guardrails: checked },
      wary: { provider: '@chats', input_guardrails: checked },
      cached: { provider: '@chats', cache: { mode: 'simple' } },
    },
  })
  const itemOf = ({ output }: JsonObject) => (output as JsonObject[])[0] as JsonObject
  const errorOf = ({ text }: Asked) => (JSON.parse(text) as { error: JsonObject }).error
  const messages = (call = 0) => scene.seen()[call]?.json?.messages as { role: string; content: string }[]
  const compact = (body: JsonObject, headers = {}) =>
    scene.ask({ input: [...turns, trigger], ...body }, headers)
  const whole = async (body: JsonObject = {}) => itemOf((await compact(body)).body)

  for (const stream of [false, true]) {
    const how = stream ? ' in a stream' : ''

    it(`is answered with one sealed item${how}`, async () => {
      scene.play(summarise)
      const asked = await compact({ stream, tools, tool_choice: 'auto', instructions: 'you write files' })
      expect(asked.status, asked.text).to.equal(200)
      expect(asked.text).not.to.contain('They name')
      if (stream) expect(streamFaults(asked.text)).to.deep.equal([])
      const answer = stream ? (eventsOf(asked).at(-1)?.response as JsonObject) : (asked.body as JsonObject)
      expect(responseFaults(answer)).to.deep.equal([])
      expect(answer).to.include({ object: 'response', status: 'completed' })
      expect(answer.output).to.have.length(1)
      expect(itemOf(answer)).to.have.all.keys('id', 'type', 'encrypted_content')
      expect(itemOf(answer).type).to.equal('compaction')
      expect(answer.usage).to.have.property('input_tokens').that.is.above(0)
      const sent = scene.seen()[0]?.json
      expect(sent?.stream ?? false).to.equal(stream)
      expect(sent).not.to.have.any.keys('tools', 'tool_choice')
      expect(messages().map(({ role }) => role)).to.deep.equal(['system', 'user'])
      for (const text of [
        'you write files',
        'be brief',
        'write_file',
        'secret-plan.txt',
        'written',
        'and now?',
      ])
        expect(messages()[1]?.content).to.contain(text)
    })

    it(`is denied by guardrails that fail for its summary${how}`, async () => {
      scene.play(summarise)
      const { status, text } = await compact({ stream }, { 'x-gateway-config': 'checked' })
      expect(status, text).to.equal(446)
      expect(text).not.to.contain('encrypted_content')
    })

    it(`fails if the model writes no summary${how}`, async () => {
      scene.play(({ json: asked }, response) =>
        asked?.stream === true
          ? sendEvents(response, chatEvents(''))
          : sendJson(response, 200, chatAnswer('')),
      )
      const { text } = await compact({ stream })
      expect(text).to.contain('upstream_invalid_response').and.not.to.contain('"compaction"')
    })
  }

  it('streams the item before the response that contains it', async () => {
    scene.play(summarise)
    const events = eventsOf(await compact({ stream: true }))
    expect(events.map(({ type }) => type)).to.deep.equal([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).to.deep.equal([0, 1, 2, 3, 4])
    const [, , , done, last] = events
    expect(done?.item).to.deep.equal(itemOf(last?.response as JsonObject))
  })

  it('creates an item that every provider can read in later turns', async () => {
    scene.play(summarise)
    const item = await whole()
    for (const model of ['@chats/m', '@native/m']) {
      await scene.ask({ model, input: [item, { role: 'user', content: 'next' }] })
      const sent = JSON.stringify(scene.seen().at(-1)?.json)
      expect(sent, model).to.contain(summary).and.not.to.contain('encrypted_content')
    }
  })

  it('creates an item that can be compacted again', async () => {
    scene.play(summarise)
    const item = await whole()
    await compact({ input: [item, { role: 'user', content: 'more' }, trigger] })
    expect(messages(1)[1]?.content).to.contain(summary).and.to.contain('more')
  })

  it('creates an item that opens only in its workspace, and shows it to guardrails', async () => {
    scene.play(summarise)
    const item = await whole()
    const input = [item, { role: 'user', content: 'next' }]
    const other = await scene.ask({ input }, asTwo)
    expect([other.status, errorOf(other).code]).to.deep.equal([400, 'invalid_body'])
    expect((await scene.ask({ input }, { 'x-gateway-config': 'wary' })).status).to.equal(446)
  })

  it('checks the conversation that is compacted', async () => {
    scene.play(summarise)
    const { status } = await compact({}, { 'x-gateway-config': 'wary' })
    expect([status, scene.seen().length]).to.deep.equal([446, 0])
  })

  it('is never answered from the cache', async () => {
    scene.play(summarise)
    for (const _ of [1, 2]) await compact({}, { 'x-gateway-config': 'cached' })
    expect(scene.seen()).to.have.length(2)
  })

  it('continues as its user messages and the summary, and is stored sealed', async () => {
    scene.play(summarise)
    const { body } = await compact({})
    const stored = await scene.call('GET', `/v1/responses/${String(body.id)}`)
    expect(stored.text).to.contain('encrypted_content').and.not.to.contain('They name')
    await scene.ask({ previous_response_id: String(body.id), input: 'go on' })
    const said = messages(1).map(({ role, content }) => [role, content.split('\n').at(-1)])
    expect(said).to.deep.equal([
      ['user', 'write a file'],
      ['user', 'and now?'],
      ['user', summary],
      ['user', 'go on'],
    ])
  })

  it('compacts a stored conversation', async () => {
    const stored = await scene.ask({ input: 'stored words' })
    scene.play(summarise)
    await compact({ previous_response_id: String(stored.body.id), input: [trigger] })
    expect(messages(1)[1]?.content).to.contain('stored words')
  })

  /** Refuses requests with more characters, and reports by how much they are too long if asked to. */
  const refusing =
    (most: number, tells: boolean): Handler =>
    (request, response, count) => {
      if (request.text.length <= most) return summarise(request, response, count)
      const told = `maximum context length is ${most} tokens. However, your messages resulted in ${request.text.length} tokens.`
      const message = tells ? `This model's ${told}` : 'Too many tokens.'
      return sendJson(response, 400, { error: { message, code: 'context_length_exceeded' } })
    }
  const long: JsonObject[] = [
    { role: 'user', content: 'write a file' },
    { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: `first words ${'x'.repeat(20_000)} last words`,
    },
    { role: 'user', content: 'and now?' },
  ]

  it('leaves out the middle of the longest texts if the conversation is too long for the model', async () => {
    for (const [tells, calls] of [
      [true, 2],
      [false, 3],
    ] as const) {
      const before = scene.seen().length
      scene.play(refusing(12_000, tells))
      const { status, text } = await compact({ input: [...long, trigger], stream: true })
      expect(status, text).to.equal(200)
      expect(scene.seen().length - before).to.equal(calls)
      const sent = messages(scene.seen().length - 1)[1]?.content
      for (const words of ['write a file', 'first words', 'characters left out', 'last words', 'and now?'])
        expect(sent).to.contain(words)
      expect(sent).to.have.length.within(5_000, 12_000)
    }
  })

  it('lists omitted members in the trace of the decisions', async () => {
    scene.play(refusing(12_000, true))
    const explained = { 'x-gateway-explain': 'true' }
    const asked = { model: '@chats/m', input: [...long, trigger] }
    const answer = await scene.gateway.post('/v1/responses', asked, explained)
    const { decisions } = (await answer.json()) as { decisions: { step: string; left_out?: string[] }[] }
    const translated = decisions.filter(({ step }) => step === 'translate')
    expect(translated.map((decision) => decision.left_out)).to.deep.equal([['/input/2']])
  })

  it('is too long if no part of it can be summarised, after five calls', async () => {
    scene.play(refusing(10, false))
    const refused = await compact({ input: [...long, trigger] })
    expect([refused.status, errorOf(refused).code]).to.deep.equal([400, 'context_length_exceeded'])
    expect(scene.seen()).to.have.length(5)
  })

  it('is counted like any other call', async () => {
    scene.play(summarise)
    await compact({ stream: true })
    await scene.gateway.runtime.logs.flush()
    const { data } = (await json(await scene.gateway.get('/v1/logs?page_size=1'))) as unknown as {
      data: JsonObject[]
    }
    expect(data[0]).to.include({ response_status_code: 200, req_units: 90, res_units: 9 })
  })

  it('reaches a provider with the Responses API unchanged', async () => {
    scene.play((_request, response) => sendJson(response, 200, { id: 'resp_1', output: [] }))
    await compact({ model: '@native/m' })
    expect(scene.seen()[0]?.json?.input).to.deep.equal([...turns, trigger])
  })

  it('is refused if the trigger is not the last item, and without a conversation', async () => {
    const early = await scene.ask({ input: [trigger, ...turns] })
    expect([early.status, errorOf(early).param]).to.deep.equal([400, '/input/0'])
    const empty = await scene.ask({ input: [trigger] })
    expect([empty.status, errorOf(empty).param]).to.deep.equal([400, '/input'])
  })
})
