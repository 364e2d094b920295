/** The body of `/v1/messages`: all invalid members are reported together, and unknown members are accepted. */
import { expect } from 'chai'
import { configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { ask, path } from './fixtures.ts'

describe('the body of /v1/messages', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())
  const send = (body: unknown, at = path) => gateway.post(at, body, configHeader({ provider: 'echo' }))
  const faultsOf = async (body: unknown, at = path): Promise<string[]> => {
    const response = await send(body, at)
    const { type, error } = (await json(response)) as never as {
      type: string
      error: { code: string; param: string; details?: { param: string }[] }
    }
    expect([response.status, type, error.code]).to.deep.equal([400, 'error', 'invalid_body'])
    return error.details?.map(({ param }) => param) ?? [error.param]
  }

  const block = (given: object) => ask([given])
  const table: [what: string, body: object, faults: string[]][] = [
    ['nothing', {}, ['/max_tokens', '/messages', '/model']],
    ['no messages', ask('x', { messages: [] }), ['/messages']],
    ['no tokens', ask('x', { max_tokens: 0 }), ['/max_tokens']],
    ['an unknown role', ask('x', { messages: [{ role: 'tool', content: 'x' }] }), ['/messages/0/role']],
    ['no content', ask('x', { messages: [{ role: 'user' }] }), ['/messages/0/content']],
    ['content that is none', ask('x', { messages: [{ role: 'user', content: 5 }] }), ['/messages/0/content']],
    ['a block without a type', block({ text: 'x' }), ['/messages/0/content/0/type']],
    ['text without text', block({ type: 'text' }), ['/messages/0/content/0/text']],
    ['an image without a source', block({ type: 'image' }), ['/messages/0/content/0/source']],
    [
      'an image without bytes',
      block({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
      ['/messages/0/content/0/source/data'],
    ],
    [
      'a result without a call',
      block({ type: 'tool_result', content: 'x' }),
      ['/messages/0/content/0/tool_use_id'],
    ],
    [
      'a call without input',
      block({ type: 'tool_use', id: 't', name: 'n' }),
      ['/messages/0/content/0/input'],
    ],
    ['an invalid system', ask('x', { system: [{ type: 'image' }] }), ['/system/0/type']],
    ['a tool without a schema', ask('x', { tools: [{ name: 'n' }] }), ['/tools/0/input_schema']],
    ['a tool without a name', ask('x', { tools: [{ type: 'custom', input_schema: {} }] }), ['/tools/0/name']],
    ['an invalid choice', ask('x', { tool_choice: { name: 'f' } }), ['/tool_choice/type']],
    ['a choice of nothing', ask('x', { tool_choice: { type: 'tool' } }), ['/tool_choice/name']],
    ['thinking without a budget', ask('x', { thinking: { type: 'enabled' } }), ['/thinking/budget_tokens']],
    [
      'numbers out of range',
      ask('x', { temperature: 1.1, top_p: -1, top_k: 0.5 }),
      ['/temperature', '/top_k', '/top_p'],
    ],
    ['lists and flags', ask('x', { stop_sequences: 'x', stream: 'yes' }), ['/stop_sequences', '/stream']],
    [
      'several things',
      ask('x', { max_tokens: -1, temperature: 2, messages: [{ role: 'x', content: [{}] }] }),
      ['/max_tokens', '/messages/0/content/0/type', '/messages/0/role', '/temperature'],
    ],
  ]
  for (const [what, body, faults] of table) {
    it(`with ${what} is refused at ${faults.join(', ')}`, async () => {
      expect((await faultsOf(body)).sort()).to.deep.equal(faults)
    })
  }

  const fine: [what: string, body: object][] = [
    [
      'nulls',
      ask('x', { temperature: null, tools: null, thinking: null, metadata: { user_id: null }, system: null }),
    ],
    ['fields of tomorrow', ask('x', { novelty: { a: 1 } })],
    ['thinking of tomorrow', ask('x', { thinking: { type: 'between_tools' } })],
    [
      'a message of the system',
      ask('x', {
        messages: [
          { role: 'system', content: 'a' },
          { role: 'user', content: 'b' },
        ],
      }),
    ],
  ]
  for (const [what, body] of fine) {
    it(`with ${what} is accepted`, async () => {
      expect((await send(body)).status).to.equal(200)
    })
  }

  it('does not need max_tokens for count_tokens', async () => {
    const counted = '/v1/messages/count_tokens'
    const { max_tokens: _, ...body } = ask('x')
    expect((await send(body, counted)).status).to.equal(200)
    expect(await faultsOf({ model: 'm' }, counted)).to.deep.equal(['/messages'])
  })

  it('is validated again after override_params', async () => {
    const config = configHeader({ provider: 'echo', override_params: { temperature: 2 } })
    const response = await gateway.post(path, ask(), config)
    expect([response.status, (await json(response)).type]).to.deep.equal([400, 'error'])
  })
})
