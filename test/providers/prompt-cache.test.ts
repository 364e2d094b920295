/**
 * `prompt_cache: "auto"`: the marks for callers that set none, and the number of tokens that a session reads from the
 * cache.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type CacheUse, createAnthropicCache } from '../support/anthropic-cache.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

type Body = Record<string, unknown>

const words = (count: number, seed: string) =>
  Array.from({ length: count }, (_, at) => `${seed}${at}`).join(' ')
const model = '@claude/claude-sonnet-4-5'
const turns = 10

const tool = (name: string) => ({
  name,
  description: words(600, name),
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
})
const toolNames = ['exec_command', 'write_stdin', 'update_plan', 'view_image']

/** Input of each turn: as Codex sends it, the whole conversation so far. */
function codex(turn: number): Body {
  const steps = Array.from({ length: turn }, (_, at) => [
    {
      type: 'function_call',
      call_id: `call_${at}`,
      name: 'exec_command',
      arguments: `{"command":"cat ${at}"}`,
    },
    { type: 'function_call_output', call_id: `call_${at}`, output: words(250, `line${at}-`) },
  ])
  return {
    model,
    instructions: words(2500, 'rule'),
    tools: toolNames.map((name) => ({ type: 'function', ...tool(name) })),
    input: [{ type: 'message', role: 'user', content: 'List the files and fix the tests.' }, ...steps.flat()],
  }
}

/** A request as sent by Copilot. */
function copilot(turn: number): Body {
  const steps = Array.from({ length: turn }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${at}`,
          type: 'function',
          function: { name: 'exec_command', arguments: `{"command":"cat ${at}"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${at}`, content: words(250, `line${at}-`) },
  ])
  return {
    model,
    messages: [
      { role: 'system', content: words(2500, 'rule') },
      { role: 'user', content: 'List the files and fix the tests.' },
      ...steps.flat(),
    ],
    tools: toolNames.map((name) => ({ type: 'function', function: tool(name) })),
  }
}

const sessions = [
  { name: 'Codex', path: '/v1/responses', body: codex },
  { name: 'Copilot', path: '/v1/chat/completions', body: copilot },
]

describe('prompt_cache', () => {
  let upstream: Upstream
  let gateway: TestGateway
  let uses: CacheUse[] = []

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({
      providers: {
        claude: { provider: 'anthropic', api_key: 'k', custom_host: upstream.url },
        rock: {
          provider: 'bedrock',
          cloudA_access_key_id: 'a',
          cloudA_secret_access_key: 's',
          cloudA_region: 'us-east-1',
          custom_host: upstream.origin,
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  beforeEach(() => {
    uses = []
    upstream.seen.length = 0
    const cache = createAnthropicCache(1024)
    upstream.handle(({ json }, response) => {
      const used = cache(json ?? {})
      uses.push(used)
      sendJson(response, 200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'next' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: used.prompt - used.read - used.written,
          cache_read_input_tokens: used.read,
          cache_creation_input_tokens: used.written,
          output_tokens: 1,
        },
      })
    })
  })

  const ask = async (path: string, body: Body, config: Body) => {
    const answer = await gateway.post(path, body, { 'x-gateway-config': JSON.stringify(config) })
    const read = (await answer.json()) as Body
    expect(answer.status, JSON.stringify(read)).to.equal(200)
    return read
  }
  const sum = (of: (use: CacheUse) => number) => uses.reduce((all, use) => all + of(use), 0)

  async function run({ path, body }: (typeof sessions)[number], promptCache: string) {
    const config = { prompt_cache: promptCache }
    let cached = 0
    for (let turn = 0; turn < turns; turn += 1) {
      const { usage } = await ask(path, body(turn), config)
      const { input_tokens_details: input, prompt_tokens_details: prompt } = usage as Record<string, Body>
      cached += Number((input ?? prompt)?.cached_tokens ?? 0)
    }
    return cached
  }

  const guide = readFileSync(new URL('../../../docs/guides/prompt-caching.md', import.meta.url), 'utf8')
  const figure = (count: number) => count.toLocaleString('en-US')

  for (const session of sessions) {
    it(`makes a session of ten turns read its earlier turns from the cache: ${session.name}`, async () => {
      expect(await run(session, 'off')).to.equal(0)
      expect(sum(({ marks }) => marks)).to.equal(0)
      uses = []
      const cached = await run(session, 'auto')
      const prompt = sum((use) => use.prompt)
      expect(cached)
        .to.equal(sum(({ read }) => read))
        .and.above(prompt * 0.8)
      expect(uses.map(({ marks }) => marks)).to.deep.equal(uses.map(() => 3))
      expect(guide).to.include(`| ${session.name} | ${figure(prompt)} | 0 | ${figure(cached)} |`)
    })
  }

  const messages = [{ role: 'user', content: words(1000, 'x') }]
  const sent = () => upstream.seen.at(-1)?.json as Body

  it('marks the body of a Messages caller that sets no mark, and leaves a body with a mark alone', async () => {
    const body = { model, max_tokens: 9, system: words(1000, 's'), messages }
    await ask('/v1/messages', body, { prompt_cache: 'auto' })
    expect(uses.at(-1)?.marks).to.equal(2)
    const own = [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ]
    await ask('/v1/messages', { ...body, messages: own }, { prompt_cache: 'auto' })
    expect(sent()).to.deep.include({ system: body.system, messages: own })
  })

  it('leaves a chat body with marks alone', async () => {
    const part = { type: 'text', text: words(1000, 'x'), cache_control: { type: 'ephemeral' } }
    await ask(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content: [part] }] },
      { prompt_cache: 'auto' },
    )
    expect(uses.at(-1)?.marks).to.equal(1)
  })

  const short = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: '你好' },
  ]

  it('marks a short prompt, too: only the model knows how many tokens it has', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    await ask('/v1/chat/completions', { model, messages: short, tools }, { prompt_cache: 'auto' })
    const cache_control = { type: 'ephemeral' }
    expect(sent().system).to.deep.equal([{ type: 'text', text: 'Be brief.', cache_control }])
    expect(sent().messages).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: '你好', cache_control }] },
    ])
    expect(sent()).to.have.deep.nested.property('tools[0].cache_control', cache_control)
  })

  it('adds no system prompt to a request without one, or with an empty one', async () => {
    const [, user] = short
    for (const system of [[], [{ role: 'system', content: '' }]]) {
      await ask('/v1/chat/completions', { model, messages: [...system, user] }, { prompt_cache: 'auto' })
      expect(uses.at(-1)?.marks).to.equal(1)
      expect(sent().system ?? '').to.equal('')
    }
  })

  it('marks no tool that is loaded later, and no thinking', async () => {
    const long = (name: string) => ({
      name,
      description: words(1000, name),
      input_schema: { type: 'object' },
    })
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' }
    await ask(
      '/v1/messages',
      {
        model,
        max_tokens: 9,
        tools: [long('a'), { ...long('b'), defer_loading: true }],
        messages: [
          ...messages,
          { role: 'assistant', content: [thinking] },
          { role: 'user', content: 'go on' },
        ],
      },
      { prompt_cache: 'auto' },
    )
    const { tools, messages: turnsSent } = sent() as { tools: Body[]; messages: Body[] }
    expect(tools.map((one) => one.cache_control !== undefined)).to.deep.equal([true, false])
    expect(turnsSent[1]).to.deep.equal({ role: 'assistant', content: [thinking] })
  })

  it('marks the turn before a last turn of more than 20 blocks', async () => {
    const calls = Array.from({ length: 25 }, (_, at) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    }))
    const conversation = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' })),
    ]
    const tools = [{ type: 'function', function: tool('f') }]
    await ask('/v1/chat/completions', { model, messages, tools }, { prompt_cache: 'auto' })
    await ask('/v1/chat/completions', { model, messages: conversation, tools }, { prompt_cache: 'auto' })
    expect(uses.at(-1)?.marks).to.equal(3)
    expect(uses.at(-1)?.read).to.equal(uses.at(-2)?.written)
  })

  it('is inherited, and replaced by a target', async () => {
    const body = { model, messages }
    const target = { override_params: { model } }
    await ask('/v1/chat/completions', body, {
      prompt_cache: 'auto',
      strategy: { mode: 'single' },
      targets: [target],
    })
    expect(uses.at(-1)?.marks).to.equal(1)
    await ask('/v1/chat/completions', body, {
      prompt_cache: 'auto',
      strategy: { mode: 'single' },
      targets: [{ ...target, prompt_cache: 'off' }],
    })
    expect(uses.at(-1)?.marks).to.equal(0)
  })

  it('refuses other values with their path', async () => {
    const answer = await gateway.post(
      '/v1/chat/completions',
      { model, messages },
      { 'x-gateway-config': '{"prompt_cache": "always"}' },
    )
    expect(answer.status).to.equal(400)
    expect(((await answer.json()) as { error: Body }).error.param).to.equal('config/prompt_cache')
  })

  describe('at Bedrock', () => {
    const converse = {
      output: { message: { role: 'assistant', content: [{ text: 'ok' }] } },
      stopReason: 'end_turn',
      usage: {},
    }
    const points = (value: unknown) => JSON.stringify(value).split('"cachePoint"').length - 1
    const models: [id: string, tools: number, system: number, turn: number][] = [
      ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 1, 1, 1],
      ['amazon.nova-pro-v1:0', 0, 1, 1],
      ['meta.llama3-3-70b-instruct-v1:0', 0, 0, 0],
    ]
    for (const [id, tools, system, turn] of models) {
      it(`adds the cache points that ${id} supports`, async () => {
        upstream.handle((_, response) => sendJson(response, 200, converse))
        await ask('/v1/responses', { ...codex(1), model: `@rock/${id}` }, { prompt_cache: 'auto' })
        const body = sent()
        expect([points(body.toolConfig), points(body.system), points(body.messages)]).to.deep.equal([
          tools,
          system,
          turn,
        ])
      })
    }
  })
})
