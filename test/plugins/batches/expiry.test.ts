/** Batches of the gateway whose completion window ends before all lines are done. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { testStoreUrl } from '../../support/test-store.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { ask, type Json, upload } from './fixtures.ts'
import { chatLine, isOver, jsonl, parseLines } from './provider-gateway.ts'

const hourMs = 3_600_000

describe('a batch that is not finished within its completion window', () => {
  // This runs before the clock is restored, because work that waits for it has to end.
  afterEach(async () => {
    await clock.run(gateway.stop())
    await upstream.close()
    await rm(directory, { recursive: true, force: true })
  })
  const clock = stopClock()
  let upstream: Upstream
  let directory: string
  let storeUrl: string
  let gateway: TestGateway
  const answered: string[] = []
  let refused = 0
  beforeEach(async () => {
    answered.length = 0
    refused = 0
    directory = await mkdtemp(join(tmpdir(), 'gateway-expiry-'))
    upstream = await openUpstream((request, response) => {
      const [message] = (request.json?.messages ?? []) as { content: string }[]
      if (message?.content === 'slow') {
        refused += 1
        response.setHeader('retry-after', '600')
        return sendJson(response, 429, { error: { message: 'later', code: 'rate_limit' } })
      }
      answered.push(message?.content ?? '')
      return sendJson(response, 200, chatAnswer('ok', { model: 'gpt-4.1' }))
    })
    // Data in memory does not outlive the gateway.
    storeUrl =
      process.env.TEST_STORE === 'postgres' ? await testStoreUrl(directory) : `sqlite:${directory}/gateway.db`
    gateway = await start()
  })
  const start = () =>
    startGateway(
      {
        batches: { concurrency: 1 },
        providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      },
      {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_DATA_DIR: directory,
          GATEWAY_STORE_URL: storeUrl,
        },
      },
    )
  const create = async () => {
    const lines = [chatLine('a', 'fast'), chatLine('b', 'slow'), chatLine('c', 'slow')]
    const file = await upload(gateway, jsonl(lines))
    const { body } = await ask(gateway, 'POST /v1/batches', {
      headers: { 'x-gateway-virtual-key': 'up' },
      body: {
        input_file_id: file.body.id,
        completion_window: 'immediate',
        endpoint: '/v1/chat/completions',
      },
    })
    await clock.until(() => refused > 0, 'the second line was refused')
    return String(body.id)
  }
  const read = async (id: string) => (await ask(gateway, `GET /v1/batches/${id}`)).body
  async function ended(id: string): Promise<Json> {
    // The runner looks for work at intervals of the real clock.
    for (let tries = 0; tries < 20_000; tries += 1) {
      const batch = await read(id)
      if (isOver(batch)) return batch
      await clock.tick(100)
    }
    throw new Error(`the batch is still ${JSON.stringify(await read(id))}`)
  }
  async function expectExpired(batch: Json): Promise<void> {
    expect(batch).to.deep.include({
      status: 'expired',
      completed_at: null,
      request_counts: { total: 3, completed: 1, failed: 2 },
    })
    expect(batch.expired_at).to.be.at.least(batch.expires_at as number)
    const output = await fetch(`${gateway.url}/v1/batches/${batch.id}/output`, {
      headers: { 'x-gateway-api-key': adminKey },
    })
    const rows = parseLines(await output.text()).map(({ custom_id, response, error }) => [
      custom_id,
      response === null,
      (error as Json | null)?.code ?? null,
    ])
    expect(rows).to.deep.equal([
      ['a', false, null],
      ['b', true, 'batch_expired'],
      ['c', true, 'batch_expired'],
    ])
    expect(answered).to.deep.equal(['fast'])
  }

  it('fails the remaining lines with batch_expired, and keeps the results', async () => {
    const id = await create()
    expect((await read(id)).status).to.equal('in_progress')
    clock.jump(24 * hourMs)
    await expectExpired(await ended(id))
  })

  it('stays expired when the store refuses its last state at first', async () => {
    const id = await create()
    const { documents } = gateway.runtime.store
    const write = documents.commit.bind(documents)
    let refusedWrites = 0
    documents.commit = async (writes) => {
      const isLast = writes.some(
        (one) => one.op === 'put' && one.document.kind === 'batch' && one.document.status === 'expired',
      )
      if (!isLast || refusedWrites > 0) return write(writes)
      refusedWrites += 1
      throw new GatewayError('store_unavailable', 'The store is away.')
    }
    clock.jump(24 * hourMs)
    await expectExpired(await ended(id))
    expect(refusedWrites).to.equal(1)
  })

  it('expires at the next start when no process was running', async () => {
    const id = await create()
    await clock.run(gateway.close())
    clock.jump(25 * hourMs)
    gateway = await clock.run(start())
    await expectExpired(await ended(id))
  })
})
