/** `gateway replay`: the estimate, the question, and the report. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { terminal } from './support.ts'

const candidate = { virtual_key: 'up', override_params: { model: 'gpt-4o-mini' } }

describe('gateway replay', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let directory: string
  before(async () => {
    upstream = await openUpstream((request, response) =>
      sendJson(response, 200, chatAnswer('ok', { model: request.json?.model })),
    )
    gateway = await startGateway({
      providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
    })
    directory = await mkdtemp(join(tmpdir(), 'gateway-replay-'))
    await writeFile(join(directory, 'new.json'), JSON.stringify(candidate))
    for (let index = 0; index < 8; index += 1)
      await gateway.post('/v1/chat/completions', chat(`question ${index}`, { model: 'gpt-4o' }), {
        'x-gateway-virtual-key': 'up',
      })
    await gateway.runtime.logs.flush()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await rm(directory, { recursive: true, force: true })
  })

  async function run(words: string[], more: { isTerminal?: boolean; answer?: string } = {}) {
    const { isTerminal = false, answer } = more
    const recording = {
      ...terminal({ environment: { GATEWAY_ADMIN_KEY: adminKey }, directory }),
      isTerminal,
      ...(answer === undefined ? {} : { ask: async () => answer }),
    }
    const code = await main(['replay', ...words, '--url', gateway.url], recording)
    return { code, output: recording.output, errors: recording.errors }
  }

  it('shows the estimate, starts when the person agrees, and prints the report as a table', async () => {
    const { code, output } = await run(['--since', '7d', '--config', 'new.json', '--budget', '1'], {
      isTerminal: true,
      answer: 'y',
    })
    expect(code).to.equal(0)
    expect(output).to.match(/^8 requests drawn, 0 cannot be replayed, 0 are redacted\./)
    expect(output).to.contain('Estimated cost $0.00')
    expect(output).to.match(/Replay \S+ completed: 8 of 8 compared, 0 failed, 0 skipped, 0 redacted/)
    expect(output).to.match(/MEASURE +BASELINE +CANDIDATE +DIFFERENCE +95 % INTERVAL +VERDICT +N +N NEEDED/)
    expect(output).to.match(/\ncost +\S+ +\S+ +-\S+ +-\S+ … -\S+ +better +8 +6\n/)
    expect(output).to.match(/\nerror_rate +0 +0 +0 +0 … 0 +- +8 +-\n/)
  })

  it('starts nothing when the person does not agree', async () => {
    const before = upstream.seen.length
    const { code } = await run(['--config', 'new.json'], { isTerminal: true, answer: 'n' })
    expect([code, upstream.seen.length - before]).to.deep.equal([1, 0])
  })

  it('prints JSON when the output is no terminal, and needs --yes then', async () => {
    const refused = await run(['--config', 'new.json'])
    expect(refused.code).to.equal(2)
    expect(refused.errors).to.contain('Add --yes')
    const { code, output, errors } = await run([
      '--config',
      'new.json',
      '--sample',
      '3',
      '--seed',
      '5',
      '--yes',
    ])
    expect(code).to.equal(0)
    const report = JSON.parse(output)
    expect(report).to.deep.include({ object: 'replay', status: 'completed', seed: 5 })
    expect(report.counts).to.deep.include({ total: 3, completed: 3 })
    expect(errors).to.contain('3 requests drawn')
  })

  it('reports a missing config, a missing file, and errors of the gateway', async () => {
    expect((await run([])).errors).to.contain('--config names the config to try.')
    expect((await run(['--config', 'missing.json', '--yes'])).errors).to.contain('the file cannot be read')
    const unknown = await run(['--config', 'nobody', '--yes'])
    expect(unknown.code).to.equal(1)
    expect(unknown.errors).to.contain('Not possible: ')
    const filter = await run(['--config', 'new.json', '--filter', '{"modle": "x"}', '--yes'])
    expect(filter.code).to.equal(1)
    expect(filter.errors).to.contain('/source/filter/modle: is an unknown filter')
  })
})
