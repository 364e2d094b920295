/** Replays: which requests are run, the content of the report, and the order of pairs. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { type Handler, sendJson } from '../../support/upstream.ts'
import { type Body, openReplays, says } from './scene.ts'

const wantsJson = {
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'city',
      schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
}

const weather = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
const calling = (name: string, args: string) => ({
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
})

interface Estimate {
  mean: number
  ci95: [number, number]
  verdict: string | null
  n: number
  n_needed: number | null
}

const diffOf = (report: Body) => report.diff as Record<string, Estimate | null>

describe('a replay', () => {
  const scene = openReplays()
  const { api } = scene
  beforeEach(() => {
    scene.answers = {}
  })

  it('compares cost, tokens and JSON of the same requests, and reports where the candidate fails', async () => {
    scene.answers = { old: says('{"city": "Rome"}', [100, 50]), new: says('Rome, of course', [100, 10]) }
    for (let index = 0; index < 10; index += 1)
      await scene.ask(chat(`Where is number ${index}?`, { model: 'gpt-4o', ...wantsJson }), {
        'x-gateway-metadata': JSON.stringify({ suite: 'json' }),
      })
    const before = scene.callsOf('new').length
    const report = await scene.replay({
      name: 'The small model',
      source: { filter: { metadata: { suite: 'json' } }, sample: 100 },
      seed: 7,
    })
    expect(report).to.deep.include({
      object: 'replay',
      name: 'The small model',
      status: 'completed',
      seed: 7,
      counts: { total: 10, completed: 10, failed: 0, skipped: 0, redacted: 0 },
    })
    expect(scene.callsOf('new').length - before).to.equal(10)
    expect(scene.callsOf('new').at(-1)?.json).to.deep.include({ model: 'gpt-4o-mini', ...wantsJson })
    const diff = diffOf(report)
    expect(diff.json_valid_rate).to.deep.include({ mean: -1, verdict: 'worse', n: 10 })
    expect(diff.cost?.verdict).to.equal('better')
    expect(diff.output_tokens).to.deep.include({ mean: -40, ci95: [-40, -40], verdict: null, n: 10 })
    expect(diff.error_rate).to.deep.include({ mean: 0, ci95: [0, 0], verdict: null, n_needed: null })
    expect(diff.judge).to.equal(null)
    expect(report.baseline).to.deep.include({ requests: 10, output_tokens: 500, json_valid_rate: 1 })
    expect(report.candidate).to.deep.include({
      requests: 10,
      output_tokens: 100,
      json_valid_rate: 0,
      finish_reasons: { stop: 10 },
    })
  })

  it('is not in lists, graphs, groups and exports, unless the filter asks for it', async () => {
    const list = async (query: string) => (await api.get(`/v1/logs?page_size=1000&${query}`)).data
    const all = await list('')
    expect(all.length).to.be.above(0)
    expect(all.filter(({ source }) => source === 'replay')).to.deep.equal([])
    const replayed = await list('source=replay')
    expect(replayed.length).to.be.above(9)
    expect(new Set(replayed.map(({ source }) => source))).to.deep.equal(new Set(['replay']))
    const requests = async (query: string) => (await api.get(`/v1/analytics/summary?${query}`)).body.requests
    expect(await requests('')).to.equal(all.length)
    expect(await requests('source=replay')).to.equal(replayed.length)
    expect(await requests('source=gateway,replay')).to.equal(all.length + replayed.length)
    const groups = (await api.get('/v1/analytics/groups/model')).data
    expect(groups.map(({ model }) => model)).to.deep.equal(['gpt-4o'])
    const graph = (await api.get('/v1/analytics/graphs/requests')).body.summary as Body
    expect(graph.total).to.equal(all.length)
    const exported = await api.post('/v1/logs/exports', { filters: {}, requested_data: ['id'] })
    expect(exported.body.total).to.equal(all.length)
    const unknown = await api.get('/v1/logs?source=replays')
    expect([unknown.status, unknown.error.param]).to.deep.equal([400, 'query/source'])
    expect(unknown.error.message).to.contain('Did you mean "replay"?')
  })

  it('lists pairs worst first: errors, invalid JSON, different tools, different arguments, refusals, then the rest', async () => {
    const calls = says('', [10, 5], calling('weather', '{"city":"Rome","unit":"C"}'))
    const kinds: Record<
      string,
      [old: ReturnType<typeof says>, candidate: ReturnType<typeof says>, more?: Body]
    > = {
      same: [says('fine'), says('fine')],
      refuses: [
        says('fine'),
        says('', [1, 1], {
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: null, refusal: 'No.' },
              finish_reason: 'stop',
            },
          ],
        }),
      ],
      arguments: [
        calls,
        says('', [10, 5], calling('weather', '{"city":"Oslo","unit":"C"}')),
        { tools: weather },
      ],
      tool: [calls, says('', [10, 5], calling('search', '{}')), { tools: weather }],
      equal: [calls, says('', [10, 5], calling('weather', '{"unit":"C","city":"Rome"}')), { tools: weather }],
      json: [says('{"city":"Rome"}'), says('{"town":"Rome"}'), wantsJson],
      error: [says('fine'), (_, response) => sendJson(response, 400, { error: { message: 'too hard' } })],
    }
    const textOf = (json: Body | null) => String((json?.messages as Body[] | undefined)?.[0]?.content)
    scene.answers = {
      old: (request, ...rest) => kinds[textOf(request.json)]?.[0](request, ...rest),
      new: (request, ...rest) => kinds[textOf(request.json)]?.[1](request, ...rest),
    }
    for (const [name, [, , more = {}]] of Object.entries(kinds))
      await scene.ask(chat(name, { model: 'gpt-4o', ...more }), { 'x-gateway-metadata': '{"suite":"order"}' })
    const report = await scene.replay({ source: { filter: { metadata: { suite: 'order' } }, sample: 100 } })
    const pairs = await api.get(`/v1/replays/${report.id}/pairs`)
    expect(pairs.status, pairs.text).to.equal(200)
    const nameOf = ({ request }: Body) => textOf(request as Body)
    expect(pairs.data.map(nameOf)).to.deep.equal([
      ...['error', 'json', 'tool', 'arguments', 'refuses'],
      ...['same', 'equal'],
    ])
    expect(pairs.data.map(({ problems }) => problems)).to.deep.equal([
      ['error'],
      ['invalid_json'],
      ['other_tool'],
      ['other_arguments'],
      ['refusal'],
      [],
      [],
    ])
    const [worst] = pairs.data
    expect(worst?.baseline).to.deep.include({ status: 200, is_error: false })
    expect(worst?.candidate).to.deep.include({ status: 400, is_error: true, cost: 0 })
    const answer = (worst?.baseline as Body | undefined)?.answer as { choices: { message: Body }[] }
    expect(answer.choices[0]?.message.content).to.equal('fine')
    const second = await api.get(`/v1/replays/${report.id}/pairs?page_size=2&current_page=1`)
    expect(second.data.map(nameOf)).to.deep.equal(['tool', 'arguments'])
    expect(second.body).to.deep.include({ total: 7, has_more: true })
    expect(diffOf(report).same_tool_rate).to.deep.include({ n: 3 })
    expect(diffOf(report).same_arguments_rate).to.deep.include({ mean: 0.5, n: 2, verdict: null })
  })

  it('compares the calls of a response that the client runs, but not those of the provider', async () => {
    const shell = (command: string, more: Body = {}) => ({
      type: 'shell_call',
      action: { commands: [command] },
      ...more,
    })
    const patch = (path: string) => ({ type: 'apply_patch_call', operation: { type: 'delete_file', path } })
    const click = (x: number) => ({ type: 'computer_call', action: { type: 'click', x, y: 1 } })
    const search = (goal: string, execution: string) => ({
      type: 'tool_search_call',
      execution,
      arguments: { goal },
    })
    const container = { environment: { type: 'container_reference', container_id: 'c' } }
    const kinds: Record<string, [old: Body, candidate: Body, problems: string[]]> = {
      shell: [shell('ls'), shell('pwd'), ['other_arguments']],
      'same shell': [shell('ls', { call_id: 'a' }), shell('ls', { call_id: 'b', environment: null }), []],
      'local shell': [
        { type: 'local_shell_call', action: { command: ['ls'] } },
        { type: 'local_shell_call', action: { command: ['pwd'] } },
        ['other_arguments'],
      ],
      patch: [patch('a'), patch('b'), ['other_arguments']],
      computer: [click(1), click(2), ['other_arguments']],
      search: [search('a', 'client'), search('b', 'client'), ['other_arguments']],
      tool: [shell('ls'), patch('a'), ['other_tool']],
      'hosted shell': [shell('ls', container), shell('pwd', container), []],
      'hosted search': [search('a', 'server'), search('b', 'server'), []],
    }
    const answering =
      (side: 0 | 1): Handler =>
      ({ json }, response) =>
        sendJson(response, 200, {
          id: 'resp_1',
          object: 'response',
          status: 'completed',
          model: json?.model,
          output: [{ id: 'item_1', status: 'completed', ...kinds[String(json?.input)]?.[side] }],
          usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
        })
    scene.answers = { old: answering(0), new: answering(1) }
    for (const input of Object.keys(kinds))
      await scene.ask(
        { model: 'gpt-4o', input, store: false },
        { path: '/v1/responses', 'x-gateway-metadata': '{"suite":"calls"}' },
      )
    const report = await scene.replay({ source: { filter: { metadata: { suite: 'calls' } }, sample: 100 } })
    const { data } = await api.get(`/v1/replays/${report.id}/pairs`)
    const found = data.map(({ request, problems }) => [String((request as Body).input), problems])
    expect(Object.fromEntries(found)).to.deep.equal(
      Object.fromEntries(Object.entries(kinds).map(([name, [, , problems]]) => [name, problems])),
    )
    expect(diffOf(report).same_tool_rate).to.deep.include({ n: 7 })
  })

  it('runs a streamed request as a stream, and measures its first token', async () => {
    scene.answers = {}
    await scene.ask(chat('stream it', { model: 'gpt-4o', stream: true }), {
      'x-gateway-metadata': '{"suite":"stream"}',
    })
    const { answerOk } = await import('../../support/upstream.ts')
    scene.answers = { old: answerOk, new: answerOk }
    await scene.ask(chat('stream it', { model: 'gpt-4o', stream: true }), {
      'x-gateway-metadata': '{"suite":"stream-2"}',
    })
    const report = await scene.replay({ source: { filter: { metadata: { suite: 'stream-2' } }, sample: 1 } })
    expect(scene.callsOf('new').at(-1)?.json?.stream).to.equal(true)
    expect(diffOf(report).first_token_ms?.n).to.equal(1)
    expect(diffOf(report).length).to.deep.include({ mean: 0, n: 1, verdict: null })
  })
})
