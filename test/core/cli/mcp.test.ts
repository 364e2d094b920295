/** `gateway mcp`: servers, tools and a call, as tables on a terminal and as JSON lines otherwise. */
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { type MadeServer, makeMcpServer } from '../../support/mcp.ts'
import { type McpUpstream, openMcpUpstream } from '../../support/mcp-upstream.ts'
import { terminal } from './support.ts'

describe('gateway mcp', () => {
  const api = openManagement()
  let upstream: McpUpstream
  let made: MadeServer
  before(async () => {
    upstream = await openMcpUpstream()
    made = await makeMcpServer(api, upstream.url)
  })
  after(() => upstream.close())

  async function run(words: string[], more: { isTerminal?: boolean; environment?: object } = {}) {
    const recording = {
      ...terminal({ environment: { GATEWAY_ADMIN_KEY: adminKey, ...more.environment } }),
      isTerminal: more.isTerminal === true,
    }
    const code = await main(['mcp', '--url', api.gateway.url, ...words], recording)
    return { code, output: recording.output, errors: recording.errors }
  }
  const lines = (output: string) =>
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  it('lists the servers', async () => {
    const { code, output } = await run([])
    expect(code).to.equal(0)
    expect(lines(output).map(({ slug }) => slug)).to.deep.equal([made.slug])
    const shown = await run([], { isTerminal: true })
    expect(shown.output.split('\n')[0]).to.match(/^SLUG +NAME +URL +DESCRIPTION$/)
    expect(shown.output).to.contain(made.slug)
  })

  it('lists the tools of a server', async () => {
    const { code, output } = await run([made.slug])
    expect([code, lines(output).map(({ name }) => name)]).to.deep.equal([
      0,
      ['echo', 'delete_file', 'fail', 'count', 'wait'],
    ])
    expect((await run([made.slug], { isTerminal: true })).output).to.match(/^NAME +TITLE +DESCRIPTION\n/)
  })

  it('calls a tool', async () => {
    const words = [made.slug, 'echo', '--arguments', '{"text":"hello"}']
    const { code, output } = await run(words)
    expect([code, lines(output)]).to.deep.equal([0, [{ content: [{ type: 'text', text: 'hello' }] }]])
    expect((await run(words, { isTerminal: true })).output).to.equal('hello\n')
  })

  it('exits with code 1 when the tool, the server or the gateway fails', async () => {
    const failed = await run([made.slug, 'fail'], { isTerminal: true })
    expect([failed.code, failed.output]).to.deep.equal([1, 'it failed\n'])
    const unknown = await run([made.slug, 'nothing'])
    expect(unknown.code).to.equal(1)
    expect(unknown.output + unknown.errors).to.contain('nothing')
    expect((await run(['nowhere'])).code).to.equal(1)
    const refused = await run([], { environment: { GATEWAY_KEY: 'wrong' } })
    expect(refused.code).to.equal(1)
    expect(refused.errors).to.contain('(401)').and.not.contain('wrong')
    const down = await run(['--url', 'http://127.0.0.1:1'])
    expect([down.code, down.errors.includes('cannot be reached')]).to.deep.equal([1, true])
  })

  it('exits with code 2 for invalid arguments', async () => {
    for (const words of [
      ['--arguments', '{}'],
      [made.slug, 'echo', '--arguments', 'no'],
      [made.slug, 'echo', '--arguments', '[]'],
      ['--url', 'ftp://x'],
      [made.slug, 'echo', 'more'],
    ])
      expect((await run(words)).code, words.join(' ')).to.equal(2)
    expect((await run([], { environment: { GATEWAY_ADMIN_KEY: '' } })).code).to.equal(2)
  })
})
