/**
 * Kills the process of a replay. Every pair is stored exactly once, with one log entry and one charge, and at most the
 * requests in flight are sent twice. With a budget, the cost of all requests to providers stays within it.
 */
import { expect } from 'chai'
import { type Replica, replicaAdminKey, startReplica } from '../../support/replica.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson } from '../../support/upstream.ts'

export interface KillRun {
  requests: number
  kills: number
  concurrency: number
  /** The number of pairs that the budget covers; null without a budget. */
  affordable: number | null
}

export interface KillOutcome {
  pairs: number
  calls: number
  entries: number
}

const tokens = 1000
/** The price of a call of gpt-4o-mini, in US cents: 15 for a million input tokens. */
const centsPerCall = (15 * tokens) / 1_000_000

/** Fills the log like a program that ships its calls to it. */
async function fillLog(replica: Replica, requests: number): Promise<void> {
  for (let begin = 0; begin < requests; begin += 100) {
    const items = Array.from({ length: Math.min(100, requests - begin) }, (_, index) => ({
      request: {
        url: 'https://example.com/v1/chat/completions',
        provider: 'openai',
        body: { model: 'gpt-4o', messages: [{ role: 'user', content: `request ${begin + index}` }] },
      },
      response: {
        status: 200,
        response_time: 100,
        body: chatAnswer('ok', {
          model: 'gpt-4o',
          usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
        }),
      },
    }))
    const written = await replica.call(replicaAdminKey, 'POST /v1/logs', { body: items })
    expect(written.status, written.text).to.equal(200)
  }
}

export async function runWithKills({
  requests,
  kills,
  concurrency,
  affordable,
}: KillRun): Promise<KillOutcome> {
  const sent = new Map<string, number>()
  const upstream = await openUpstream((request, response) => {
    const [message] = (request.json?.messages ?? []) as { content: string }[]
    const content = message?.content ?? ''
    sent.set(content, (sent.get(content) ?? 0) + 1)
    setTimeout(() => {
      const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens }
      sendJson(response, 200, chatAnswer('ok', { model: 'gpt-4o-mini', usage }))
    }, 30)
  })
  const replica = await startReplica({
    config: {
      security: { trusted_hosts: ['127.0.0.0/8', '::1'] },
      providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
    },
  })
  try {
    await fillLog(replica, requests)
    const key = await replica.call(replicaAdminKey, 'POST /v1/api-keys/workspace/service', {
      body: {
        name: 'replays',
        workspace_id: 'default',
        scopes: ['completions.write', 'logs.view', 'logs.list', 'replays.create', 'replays.read'],
        usage_limits: { type: 'tokens', credit_limit: 100_000_000 },
      },
    })
    const own = String(key.body.key)
    const budget = affordable === null ? {} : { budget: (affordable * centsPerCall + 1e-6) / 100 }
    const created = await replica.call(own, 'POST /v1/replays', {
      body: {
        source: { filter: { source: 'custom' }, sample: requests },
        config: { virtual_key: 'up', override_params: { model: 'gpt-4o-mini' } },
        concurrency,
        ...budget,
      },
    })
    expect(created.status, created.text).to.equal(200)
    const { id } = created.body
    const expected = affordable ?? requests
    const calls = () => [...sent.values()].reduce((sum, count) => sum + count, 0)
    for (let kill = 1; kill <= kills; kill += 1) {
      await until('requests were sent', () => calls() >= (expected / (kills + 2)) * kill)
      await replica.crash()
      await replica.restart()
    }
    const replay = await until('the replay ends', async () => {
      const { body } = await replica.call(own, `GET /v1/replays/${id}`)
      return body.status === 'running' || body.status === 'queued' ? null : body
    })
    const counts = replay.counts as Record<string, number>
    const pairs = await allPairs(replica, own, String(id))
    expect(new Set(pairs.map(({ position }) => position)).size).to.equal(pairs.length)
    expect(counts).to.deep.include({ total: requests, completed: pairs.length, failed: 0, skipped: 0 })
    const logged = await until('all entries are delivered', async () => {
      const { body } = await replica.call(own, 'GET /v1/logs?source=replay&page_size=1')
      return Number(body.total) >= pairs.length ? Number(body.total) : null
    })
    expect(logged).to.equal(pairs.length)
    const used = await replica.call(replicaAdminKey, `GET /v1/api-keys/${key.body.id}`)
    expect((used.body.usage_limits as Record<string, number>).current_usage).to.equal(pairs.length * tokens)
    expect(calls()).to.be.at.most(pairs.length + kills * concurrency)
    if (affordable === null) {
      expect([replay.status, pairs.length]).to.deep.equal(['completed', requests])
    } else {
      expect(replay.status).to.equal('budget_exhausted')
      expect(calls(), 'calls within the budget').to.be.at.most(affordable)
      expect(pairs.length).to.be.at.least(affordable - kills * concurrency)
    }
    return { pairs: pairs.length, calls: calls(), entries: logged }
  } finally {
    await replica.stop()
    await upstream.close()
  }
}

async function allPairs(replica: Replica, key: string, id: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for (let page = 0; ; page += 1) {
    const query = `page_size=500&current_page=${page}`
    const { body } = await replica.call(key, `GET /v1/replays/${id}/pairs?${query}`)
    found.push(...(body.data as Record<string, unknown>[]))
    if (body.has_more !== true) return found
  }
}
