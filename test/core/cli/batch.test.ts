/** `gateway batch`: the list of batches, and one that is followed until it has ended. */
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { terminal } from './support.ts'

describe('gateway batch', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ providers: { local: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  async function run(words: string[], more: { isTerminal?: boolean; url?: string } = {}) {
    const recording = {
      ...terminal({ environment: { GATEWAY_ADMIN_KEY: adminKey } }),
      isTerminal: more.isTerminal === true,
    }
    const code = await main(['batch', ...words, '--url', more.url ?? gateway.url], recording)
    return { code, output: recording.output, errors: recording.errors }
  }

  async function call(path: string, body: FormData | string): Promise<{ id: string }> {
    const answer = await fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': adminKey,
        ...(typeof body === 'string'
          ? { 'content-type': 'application/json', 'x-gateway-virtual-key': 'local' }
          : {}),
      },
      body,
    })
    expect(answer.status).to.equal(200)
    return (await answer.json()) as { id: string }
  }

  async function makeBatch(url = '/v1/chat/completions'): Promise<string> {
    const line = (id: number) =>
      JSON.stringify({
        custom_id: String(id),
        method: 'POST',
        url,
        body: { model: 'echo-1', messages: [{ role: 'user', content: 'hi' }] },
      })
    const form = new FormData()
    form.append('purpose', 'batch')
    form.append('file', new Blob([[1, 2, 3].map(line).join('\n')]), 'in.jsonl')
    const file = await call('/v1/files', form)
    const batch = await call(
      '/v1/batches',
      JSON.stringify({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: 'immediate',
      }),
    )
    return batch.id
  }

  it('follows a batch until it has ended, and prints it', async () => {
    const id = await makeBatch()
    const { code, output, errors } = await run(['follow', id])
    expect(code, errors).to.equal(0)
    expect(JSON.parse(output)).to.deep.include({
      id,
      status: 'completed',
      request_counts: { total: 3, completed: 3, failed: 0 },
    })
    expect(errors).to.include(`Batch ${id}: 3 of 3 requests (100 %)`)
  })

  it('prints the result as text on a terminal', async () => {
    const id = await makeBatch()
    const { code, output } = await run(['follow', id], { isTerminal: true })
    expect(code).to.equal(0)
    expect(output).to.match(
      /^gwbatch-\S+ completed: 3 of 3 requests completed, 0 failed, \S+ US cents\.\n {2}output: gwfile-/,
    )
  })

  it('exits with code 1 for a batch that failed, and prints its errors', async () => {
    const id = await makeBatch('/v1/nothing')
    const { code, output } = await run(['follow', id], { isTerminal: true })
    expect(code).to.equal(1)
    expect(output)
      .to.contain('failed')
      .and.match(/line 1: /)
  })

  it('lists batches', async () => {
    const id = await makeBatch()
    const { code, output } = await run(['list', '--limit', '1'])
    expect([code, JSON.parse(output).id]).to.deep.equal([0, id])
    const shown = await run(['list'], { isTerminal: true })
    expect(shown.output.split('\n')[0]).to.match(/^ID +STATUS +REQUESTS +COMPLETED +FAILED +ENDPOINT$/)
    expect(shown.output).to.contain(id)
  })

  describe('with scripted answers of the gateway', () => {
    let upstream: Upstream
    let answers: [status: number, body: object][]
    before(async () => {
      upstream = await openUpstream((_, response) => {
        const [status, body] = answers.shift() ?? [500, {}]
        sendJson(response, status, body)
      })
    })
    after(() => upstream.close())
    const at = (status: string, completed: number) => ({
      id: 'b',
      status,
      request_counts: { total: 4, completed, failed: 0 },
    })

    it('shows each step, and continues when the gateway restarts', async () => {
      answers = [
        [200, at('validating', 0)],
        [200, at('in_progress', 2)],
        [503, { error: { message: 'It restarts.' } }],
        [200, at('completed', 4)],
      ]
      const { code, errors } = await run(['follow', 'b'], { url: upstream.url })
      expect([code, errors]).to.deep.equal([
        0,
        'Batch b: 2 of 4 requests (50 %)\nBatch b: 4 of 4 requests (100 %)\n',
      ])
    })

    it('names the provider that runs the batch', async () => {
      answers = [[200, at('completed', 4)]]
      await run(['follow', 'b', '--provider', '@up'], { url: upstream.url })
      expect(upstream.seen.at(-1)?.headers).to.include({ 'x-gateway-provider': '@up' })
    })
  })

  it('exits with code 1 when the batch does not exist or the gateway cannot be reached', async () => {
    const unknown = await run(['follow', 'gwbatch-00000000-0000-4000-8000-000000000000'])
    expect([unknown.code, unknown.errors]).to.satisfy(
      ([code, errors]: [number, string]) => code === 1 && errors.includes('(404)'),
    )
    const down = await run(['list'], { url: 'http://127.0.0.1:1' })
    expect([down.code, down.errors.includes('cannot be reached')]).to.deep.equal([1, true])
  })

  it('exits with code 2 for invalid arguments', async () => {
    for (const words of [
      [],
      ['follow'],
      ['list', 'x'],
      ['watch', 'x'],
      ['list', '--limit', '0'],
      ['follow', 'a', 'b'],
    ])
      expect((await run(words)).code, words.join(' ')).to.equal(2)
  })
})
