/** The playground starts with the workspace, config, metadata and whole conversation of a logged request. */
import { expect } from 'chai'
import { firstOf, maker } from './furnish.ts'
import { useConsole } from './suite.ts'
import { loadWebModule } from './web-module.ts'

type Row = Record<string, unknown>
interface Start {
  target: Row
  system: string
  turns: string
  message: string
  workspace: string
}

const text = 'text'
const weather = { type: 'object', properties: { city: { type: 'string' } } }
const calls = [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }]
const toolMessages = [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: null, tool_calls: calls },
  { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
]

const conversations: readonly {
  title: string
  body: Row
  expected: Partial<Pick<Start, 'system' | 'message'>> & { turns?: Row[] }
}[] = [
  {
    title: 'system, earlier turns and the last message',
    body: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: 'One.' },
        { role: 'user', content: 'Two?' },
      ],
    },
    expected: {
      system: 'Be brief.',
      turns: [
        { role: 'user', content: 'One?' },
        { role: 'assistant', content: 'One.' },
      ],
      message: 'Two?',
    },
  },
  {
    title: 'a conversation that ends with the result of a tool',
    body: { messages: toolMessages },
    expected: { message: '', turns: toolMessages },
  },
  {
    title: 'a message with an image, as it is',
    body: {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/x' } }] }],
    },
    expected: {
      turns: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/x' } }] }],
    },
  },
  {
    title: 'a request of the Messages API',
    body: {
      system: [{ type: text, text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: text, text: 'Hi' }] }],
    },
    expected: { system: 'Be brief.', message: 'Hi' },
  },
  {
    title: 'a request of the Responses API',
    body: {
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }, ...toolItems()],
    },
    expected: { system: 'Be brief.', turns: toolMessages },
  },
  { title: 'the text of an embedding', body: { input: 'hello' }, expected: { message: 'hello' } },
]

function toolItems(): Row[] {
  return [
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
  ]
}

describe('a logged request in the playground', function () {
  const suite = useConsole(this)
  let startOfEntry: (row: Row) => Start
  let callOf: (target: Row, asked: Row) => { path: string; body: Row; headers: Row }
  before(async () => {
    ;({ startOfEntry } = await loadWebModule<{ startOfEntry: typeof startOfEntry }>(
      'pages/playground/playground-from-log.ts',
    ))
    ;({ callOf } = await loadWebModule<{ callOf: typeof callOf }>('pages/playground/playground-target.tsx'))
  })

  for (const { title, body, expected } of conversations) {
    it(`keeps ${title}`, () => {
      const { system, turns, message } = startOfEntry({ request: { body } })
      expect({ system, message, turns: JSON.parse(turns === '' ? '[]' : turns) as Row[] }).to.deep.equal({
        system: '',
        message: '',
        turns: [],
        ...expected,
      })
    })
  }

  it('keeps workspace, config, metadata and other headers, but no credentials', () => {
    const { target, workspace } = startOfEntry({
      workspace_id: 'team-b',
      metadata: { team: 'shop' },
      config: 'of-the-key',
      request: {
        headers: {
          'x-gateway-api-key': 'gw-secret',
          'x-gateway-provider': 'echo',
          'x-gateway-trace-id': 'abc',
          'x-gateway-workspace-id': 'team-b',
          authorization: '****',
        },
        body: { model: 'large', temperature: 0.5, stream: true, messages: [] },
      },
    })
    expect(workspace).to.equal('team-b')
    expect(target).to.include({ model: 'large', config: 'of-the-key' })
    expect(JSON.parse(String(target.metadata))).to.deep.equal({ team: 'shop' })
    expect(JSON.parse(String(target.headers))).to.deep.equal({ 'x-gateway-provider': 'echo' })
    expect(JSON.parse(String(target.parameters))).to.deep.equal({ temperature: 0.5 })
  })

  it('is sent as the same request', () => {
    const start = startOfEntry({
      workspace_id: 'team-b',
      request: {
        headers: { 'x-gateway-config': '{"retry":{"attempts":1}}', 'x-gateway-metadata': '{"team":"Käse"}' },
        body: { model: 'large', messages: toolMessages, tools: [{ type: 'function', function: weather }] },
      },
    })
    const empty = {
      model: '',
      config: '',
      prompt: '',
      variables: '',
      parameters: '',
      metadata: '',
      headers: '',
    }
    expect(callOf({ ...empty, ...start.target }, { ...start })).to.deep.equal({
      path: '/v1/chat/completions',
      headers: {
        'x-gateway-config': '{"retry":{"attempts":1}}',
        'x-gateway-workspace-id': 'team-b',
        'x-gateway-metadata': '{"team":"K\\u00e4se"}',
      },
      body: { model: 'large', messages: toolMessages, tools: [{ type: 'function', function: weather }] },
    })
  })

  it('runs in the workspace of the config from which the playground was opened', async () => {
    const { page, gateway } = suite
    const make = maker(gateway)
    await make('/v1/workspaces', { name: 'Team B', slug: 'team-b' })
    await make('/v1/configs', {
      workspace_id: 'team-b',
      name: 'Only in B',
      slug: 'only-in-b',
      config: { override_params: { model: '@echo/b' } },
    })
    await suite.openObject('Configs', 'Only in B')
    await page.getByRole('button', { name: 'To playground' }).click()
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    const workspace = page.getByLabel('Workspace', { exact: true })
    await workspace.locator('option[value="team-b"]:checked').waitFor({ state: 'attached' })
    await page.getByLabel('Message', { exact: true }).fill('hello from B')
    await page.getByLabel('Metadata', { exact: true }).fill('{"team": "shop"}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('log').getByText('hello from B').waitFor()
    const entry = await firstOf(gateway, '/v1/logs?search=hello%20from%20B')
    expect(entry).to.deep.include({ config: 'only-in-b', metadata: { team: 'shop' } })
  })
})
