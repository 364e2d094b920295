/** Custom tools of chat completions at a provider whose format has functions only: in both directions, whole and streamed. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

type Body = Record<string, unknown>

const tools = [
  { type: 'custom', custom: { name: 'patch', description: 'Edits files.' } },
  { type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } },
]
const input = '*** Begin Patch\n"quoted"'

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'tool_use', id: 'toolu_1', name: 'patch', input: { input } },
    { type: 'tool_use', id: 'toolu_2', name: 'read', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
}

const start = (index: number, id: string, name: string) => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id, name, input: {} },
})
const json = (index: number, partial_json: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
})
const written = JSON.stringify({ input })
const events = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  start(0, 'toolu_1', 'patch'),
  ...(written.match(/.{1,7}/g) ?? []).map((part) => json(0, part)),
  { type: 'content_block_stop', index: 0 },
  start(1, 'toolu_2', 'read'),
  json(1, '{"a":1}'),
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
]

describe('custom tools of chat completions at a provider of another format', () => {
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    upstream = await openUpstream()
    upstream.handle(({ json: asked }, response) => {
      if (asked?.stream !== true) return sendJson(response, 200, message)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      response.end()
    })
    gateway = await startGateway({
      providers: { claude: { provider: 'anthropic', api_key: 'k', custom_host: upstream.url } },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const ask = (body: Body) =>
    gateway.post('/v1/chat/completions', {
      model: '@claude/claude-sonnet-4-5',
      messages: [{ role: 'user', content: 'fix it' }],
      tools,
      ...body,
    })
  const sent = () => upstream.seen.at(-1)?.json as { tools: Body[]; tool_choice?: Body; messages: Body[] }

  it('are functions with one string, and their calls come back as custom calls', async () => {
    const answer = await ask({ tool_choice: { type: 'custom', custom: { name: 'patch' } } })
    const { choices } = (await answer.json()) as { choices: { message: { tool_calls: Body[] } }[] }
    expect(sent().tools[0]).to.have.nested.property('input_schema.required').that.deep.equals(['input'])
    expect(sent().tool_choice).to.deep.equal({ type: 'tool', name: 'patch' })
    expect(choices[0]?.message.tool_calls).to.deep.equal([
      { id: 'toolu_1', type: 'custom', custom: { name: 'patch', input } },
      { id: 'toolu_2', type: 'function', function: { name: 'read', arguments: '{"a":1}' } },
    ])
  })

  it('stream their input as text', async () => {
    const text = await (await ask({ stream: true })).text()
    const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Body)
    const calls = chunks.flatMap(({ choices }) =>
      (choices as { delta: { tool_calls?: Body[] } }[]).flatMap(({ delta }) => delta.tool_calls ?? []),
    )
    const own = calls.filter(({ index }) => index === 0)
    expect(own[0]).to.deep.include({ id: 'toolu_1', type: 'custom' })
    expect(own.map(({ custom }) => (custom as Body).input).join('')).to.equal(input)
    expect(own.length).to.be.above(2)
    const other = calls.filter(({ index }) => index === 1)
    expect(other.map((call) => (call.function as Body).arguments).join('')).to.equal('{"a":1}')
  })

  it('can be sent back in the conversation', async () => {
    const call = { id: 'toolu_1', type: 'custom', custom: { name: 'patch', input } }
    const answer = await ask({
      messages: [
        { role: 'user', content: 'fix it' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'done' },
      ],
    })
    expect(answer.status).to.equal(200)
    expect(sent().messages[1]).to.deep.equal({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'patch', input: { input } }],
    })
  })
})
