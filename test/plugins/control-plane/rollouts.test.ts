/** Rollouts of config versions: part of the sessions, step by step, and back when the new version is worse. */
import type { ServerResponse } from 'node:http'
import type { Fault } from '@gateway/contract'
import { expect } from 'chai'
import { configs } from '#control-plane/configs/resource'
import { createRolloutWorker } from '#control-plane/configs/rollouts/worker'
import { flushedBy } from '../../support/capabilities.ts'
import { adminKey, chat, json, target } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const minuteMs = 60_000
const workspace_id = 'default'
/** The job runs in the test's future. */
const later = () => new Date(Date.now() + 10 * minuteMs).toISOString()

interface Rollout {
  status: string
  percent: number
  reason: { metric: string; value: number; bound: number } | null
  metrics: { from: { requests: number }; to: { requests: number } }
}

describe('the rollout of a config version', () => {
  const api = openManagement()
  let old: Upstream
  let fresh: Upstream
  /** Faults that the new version has, as seen by the job. */
  let faults: Fault[] = []
  let slug = ''
  let path = ''

  before(async () => {
    old = await openUpstream()
    fresh = await openUpstream()
    // The gateway's own job runs on the real clock, and would judge between two steps of a test.
    const { shared } = api.gateway.runtime.store
    expect(await shared.acquire('job:config-rollouts', 60 * minuteMs)).to.equal(true)
  })
  after(async () => {
    await old.close()
    await fresh.close()
  })

  beforeEach(async () => {
    faults = []
    old.handle((_request, response) => sendJson(response, 200, chatAnswer('old')))
    fresh.handle((_request, response) => sendJson(response, 200, chatAnswer('new')))
    const made = await api.post('/v1/configs', { name: 'Rolled', config: target(old.url), workspace_id })
    expect(made.status, made.text).to.equal(200)
    slug = String(made.body.slug)
    path = `/v1/configs/${made.body.id}/rollout`
    const next = await api.put(`/v1/configs/${slug}`, { config: target(fresh.url), publish: false })
    expect(next.status, next.text).to.equal(200)
    expect(next.body).to.include({ version: 2, live_version: 1, latest_version: 2 })
  })

  const start = (more: object = {}) => api.post(path, { to: 2, steps: [25, 100], hold_minutes: 10, ...more })
  const read = async () => (await api.get(path)).body as unknown as Rollout
  const ask = async (content: string, headers: Record<string, string> = {}) => {
    const response = await api.gateway.post('/v1/chat/completions', chat(content), {
      'x-gateway-config': slug,
      ...headers,
    })
    return (await json(response)) as unknown as ReturnType<typeof chatAnswer> & {
      decisions?: Record<string, unknown>[]
    }
  }
  const said = (answer: Awaited<ReturnType<typeof ask>>) =>
    (answer.choices as { message: { content: string } }[] | undefined)?.[0]?.message.content ??
    JSON.stringify(answer)
  const askAll = async (count: number, of = 'conversation') => {
    const answers: string[] = []
    for (let at = 0; at < count; at += 1) answers.push(said(await ask(`${of} ${at}`)))
    return answers
  }
  /** Another process: it knows only stored data. */
  const runJobIn = async (minutes: number) => {
    const { runtime } = api.gateway
    const nowMs = Date.now() + minutes * minuteMs
    const context = {
      documents: runtime.store.documents,
      logEntries: runtime.store.log,
      sealer: runtime.sealer,
      logs: flushedBy(() => runtime.logs.flush()),
      log: runtime.log,
      now: () => nowMs,
      checkConfig: async () => faults,
    }
    await createRolloutWorker(context, () => configs).run(nowMs)
  }

  it('keeps a version that is not published from requests', async () => {
    expect(said(await ask('hello'))).to.equal('old')
    expect(said(await ask('hello', { 'x-gateway-config': `${slug}@2` }))).to.equal('new')
    const versions = await api.get(`/v1/configs/${slug}/versions`)
    expect(versions.data.map(({ version }) => version)).to.deep.equal([2, 1])
    const alone = await api.put(`/v1/configs/${slug}`, { publish: false })
    expect(alone.status).to.equal(400)
    expect(alone.error.param).to.equal('/publish')
  })

  it('moves its share of the sessions, and only more of them with each step', async () => {
    const started = await start({ percent: 10 })
    expect(started.status, started.text).to.equal(200)
    expect(started.body).to.include({
      object: 'config-rollout',
      status: 'running',
      from: 1,
      to: 2,
      percent: 10,
    })
    expect(started.body.steps).to.deep.equal([10, 25, 100])
    const atTen = await askAll(100)
    expect(await askAll(100), 'each session stays').to.deep.equal(atTen)
    await runJobIn(5)
    expect((await read()).percent, 'the step is not over').to.equal(10)
    await runJobIn(10)
    const later = await askAll(100)
    expect((await read()).percent).to.equal(25)
    const count = (answers: string[]) => answers.filter((each) => each === 'new').length
    expect(count(atTen)).to.be.within(1, 25)
    expect(count(later)).to.be.within(10, 45)
    for (const [at, answer] of atTen.entries()) if (answer === 'new') expect(later[at]).to.equal('new')
  })

  it('keeps all turns of a conversation on one version', async () => {
    await start({ percent: 50 })
    for (let at = 0; at < 20; at += 1) {
      const first = said(await ask(`talk ${at}`))
      const turns = [
        { role: 'user', content: [{ type: 'text', text: `talk ${at}` }] },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'and?' },
      ]
      const response = await api.gateway.post(
        '/v1/chat/completions',
        { model: 'test-model', messages: turns },
        { 'x-gateway-config': slug },
      )
      expect(said(await json(response))).to.equal(first)
    }
  })

  it('keeps all turns of a conversation in the Gemini format on one version', async () => {
    await start({ percent: 50 })
    const generate = async (...texts: string[]) => {
      const contents = texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'model', parts: [{ text }] }))
      const response = await api.gateway.post(
        '/v1beta/models/test-model:generateContent',
        { contents },
        { 'x-gateway-config': slug },
      )
      const { candidates } = (await json(response)) as unknown as {
        candidates: { content: { parts: { text: string }[] } }[]
      }
      return candidates[0]?.content.parts[0]?.text
    }
    for (let at = 0; at < 12; at += 1) {
      const first = await generate(`talk ${at}`)
      expect(await generate(`talk ${at}`, 'yes', 'and?')).to.equal(first)
    }
  })

  const respond = async (body: object) => {
    const response = await api.gateway.post(
      '/v1/responses',
      { model: 'test-model', ...body },
      { 'x-gateway-config': slug },
    )
    const answer = (await json(response)) as unknown as {
      id: string
      output: { content: { text: string }[] }[]
    }
    expect(answer.output, JSON.stringify(answer)).to.be.an('array')
    return { id: answer.id, text: answer.output[0]?.content[0]?.text }
  }
  const chains = async (count: number) => {
    const seen = new Set<string | undefined>()
    for (let at = 0; at < count; at += 1) {
      const first = await respond({ input: `begin ${at}` })
      const second = await respond({ input: 'go on', previous_response_id: first.id })
      const third = await respond({ input: 'further', previous_response_id: second.id })
      expect([second.text, third.text]).to.deep.equal([first.text, first.text])
      seen.add(first.text)
    }
    return [...seen].sort()
  }

  it('keeps a response that the gateway stores, and those that continue it, on one version', async () => {
    const translated = (upstream: Upstream) => ({ ...target(upstream.url), provider: 'deepseek' })
    await api.put(`/v1/configs/${slug}`, { config: translated(old) })
    await api.put(`/v1/configs/${slug}`, { config: translated(fresh), publish: false })
    await start({ to: 4, percent: 50 })
    expect(await chains(12)).to.deep.equal(['new', 'old'])
  })

  it('keeps a response that its provider stores, and those that continue it, on one version', async () => {
    const slugs: string[] = []
    for (const [name, upstream] of Object.entries({ old, new: fresh })) {
      let count = 0
      upstream.handle((_request, response) => {
        count += 1
        const content = [{ type: 'output_text', text: name, annotations: [] }]
        const message = {
          type: 'message',
          id: `msg_${count}`,
          role: 'assistant',
          status: 'completed',
          content,
        }
        sendJson(response, 200, {
          ...{ id: `resp_${name}${count}`, object: 'response', created_at: 1, status: 'completed' },
          ...{ model: 'test-model', output: [message], parallel_tool_calls: true, tool_choice: 'auto' },
          ...{ tools: [], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
        })
      })
      const made = await api.post('/v1/integrations', {
        ...{ name: `Keeps ${name}`, ai_provider_id: 'openai', key: 'sk-test', workspace_id },
        configurations: { custom_host: upstream.url },
      })
      slugs.push((made.body.default_provider as { slug: string }).slug)
    }
    const stored = (name: string | undefined) => ({ provider: `@${name}` })
    await api.put(`/v1/configs/${slug}`, { config: stored(slugs[0]) })
    await api.put(`/v1/configs/${slug}`, { config: stored(slugs[1]), publish: false })
    await start({ to: 4, percent: 50 })
    expect(await chains(12)).to.deep.equal(['new', 'old'])
  })

  it('says in the decision trace and in the log which version answered', async () => {
    await start({ percent: 50 })
    const seen = new Set<unknown>()
    for (let at = 0; at < 20; at += 1) {
      const answer = await ask(`traced ${at}`, { 'x-gateway-explain': 'true' })
      const version = said(answer) === 'new' ? 2 : 1
      expect(answer.decisions?.find(({ step }) => step === 'config')).to.deep.include({
        version,
        rollout: { from: 1, to: 2, percent: 50 },
      })
      seen.add(version)
    }
    expect(seen.size).to.equal(2)
    const { metrics } = await read()
    expect(metrics.from.requests + metrics.to.requests).to.equal(20)
    const list = await api.get(`/v1/logs?configs=${slug}`)
    expect(new Set(list.data.map(({ config_version }) => config_version))).to.deep.equal(new Set([1, 2]))
  })

  it('makes the version live after the last step', async () => {
    await start({ steps: [50, 100], hold_minutes: 1 })
    await runJobIn(1)
    expect(await read()).to.include({ status: 'running', percent: 100 })
    expect(new Set(await askAll(10))).to.deep.equal(new Set(['new']))
    await runJobIn(2)
    expect(await read()).to.include({ status: 'completed', percent: 100 })
    const { body } = await api.get(`/v1/configs/${slug}`)
    expect(body).to.include({ version: 2, live_version: 2 })
    expect((body.config as { custom_host: string }).custom_host).to.equal(fresh.url)
    expect(new Set(await askAll(10))).to.deep.equal(new Set(['new']))
    const [entry] = await api.audit(`resource_id=${body.id}&action=rollout_complete&end_time=${later()}`)
    expect(entry).to.deep.include({ action: 'rollout_complete', user_type: 'system' })
    const updated = await api.put(`/v1/configs/${slug}`, { config: target(old.url) })
    expect(updated.body).to.include({ version: 3, live_version: 3 })
  })

  it('keeps a last step below 100', async () => {
    await start({ steps: [20], hold_minutes: 1 })
    await runJobIn(600)
    expect(await read()).to.include({ status: 'running', percent: 20 })
  })

  const bounds: [what: string, abort_if: object, metric: string, spoil: () => void][] = [
    [
      'errors',
      { error_rate: 0.1 },
      'error_rate',
      () => fresh.handle((_request, response) => sendJson(response, 500, { error: { message: 'down' } })),
    ],
    [
      'cost',
      { cost_per_request: 0.001 },
      'cost_per_request',
      () =>
        fresh.handle((_request, response) =>
          sendJson(
            response,
            200,
            chatAnswer('new', {
              model: 'gpt-4o',
              usage: { prompt_tokens: 3000, completion_tokens: 2000, total_tokens: 5000 },
            }),
          ),
        ),
    ],
    ['latency', { p95_ms: 0 }, 'p95_ms', () => undefined],
  ]
  for (const [what, abort_if, metric, spoil] of bounds)
    it(`rolls back automatically when the new version exceeds the bound on ${what}`, async () => {
      spoil()
      await start({ percent: 100, abort_if })
      await askAll(49, metric)
      await runJobIn(0)
      expect((await read()).status, 'too few requests').to.equal('running')
      await askAll(1, `${metric} more`)
      await runJobIn(0)
      const rollout = await read()
      expect(rollout).to.include({ status: 'aborted' })
      expect(rollout.reason?.metric).to.equal(metric)
      expect(rollout.reason?.value).to.be.greaterThan(rollout.reason?.bound ?? 0)
      expect(new Set(await askAll(10))).to.deep.equal(new Set(['old']))
      const { body } = await api.get(`/v1/configs/${slug}`)
      expect(body).to.include({ version: 1, live_version: 1, latest_version: 2 })
      const [entry] = await api.audit(`resource_id=${body.id}&action=rollout_abort`)
      expect(entry).to.deep.include({ user_type: 'system' })
      expect(entry?.details).to.deep.include({ reason: rollout.reason })
    })

  it('counts denials apart from errors', async () => {
    const denies = {
      ...target(fresh.url),
      input_guardrails: [{ 'default.contains': { operator: 'none', words: ['conversation'] }, deny: true }],
    }
    await api.put(`/v1/configs/${slug}`, { config: denies, publish: false })
    await start({ to: 3, percent: 100, abort_if: { error_rate: 0, denial_rate: 0.5 } })
    await askAll(50)
    await runJobIn(0)
    expect((await read()).reason).to.deep.equal({ metric: 'denial_rate', value: 1, bound: 0.5 })
  })

  /** One event, after which the test determines the provider's behaviour. */
  const beginStream = (then: (response: ServerResponse) => void) =>
    fresh.handle((_request, response) => {
      const delta = { index: 0, delta: { content: 'ne' }, finish_reason: null }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify({ ...chatAnswer(''), choices: [delta] })}\n\n`)
      then(response)
    })
  const stream = (content: string, signal?: AbortSignal) =>
    fetch(`${api.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': adminKey,
        'content-type': 'application/json',
        'x-gateway-config': slug,
      },
      body: JSON.stringify({ ...chat(content), stream: true }),
      ...(signal === undefined ? {} : { signal }),
    })

  it('counts streams that break off as errors, and the log has the reason', async () => {
    beginStream((response) => setImmediate(() => response.destroy()))
    await start({ percent: 100, abort_if: { error_rate: 0.5 } })
    for (let at = 0; at < 50; at += 1) {
      const response = await stream(`broken ${at}`)
      expect(response.status).to.equal(200)
      expect(await response.text()).to.include('"error"')
    }
    await runJobIn(0)
    expect((await read()).reason).to.deep.equal({ metric: 'error_rate', value: 1, bound: 0.5 })
    const [entry] = (await api.get(`/v1/logs?configs=${slug}`)).data
    expect(entry).to.include({ response_status_code: 200, is_partial: true })
    const found = await api.get(`/v1/logs?configs=${slug}&error_code=${entry?.error_code}&page_size=1`)
    expect(found.body.total).to.equal(50)
  })

  it('does not count callers who leave in the middle of a stream', async () => {
    let left = 0
    beginStream((response) =>
      response.once('close', () => {
        left += 1
      }),
    )
    await start({ percent: 100, abort_if: { error_rate: 0 } })
    for (let at = 0; at < 50; at += 1) {
      const leaving = new AbortController()
      const response = await stream(`left ${at}`, leaving.signal)
      await response.body?.getReader().read()
      leaving.abort()
    }
    await until('the provider sees all callers leave', () => left === 50)
    const logged = async () => (await api.get(`/v1/logs?configs=${slug}&page_size=1`)).body.total
    await until('all requests are in the log', async () => (await logged()) === 50)
    await runJobIn(0)
    expect((await read()).status).to.equal('running')
  })

  it('judges only the last five minutes', async () => {
    fresh.handle((_request, response) => sendJson(response, 500, { error: { message: 'down' } }))
    await start({ percent: 100, steps: [100], hold_minutes: 60, abort_if: { error_rate: 0.1 } })
    await askAll(60)
    await runJobIn(30)
    expect((await read()).status).to.equal('running')
  })

  it('is aborted when the new version refers to something that no longer exists', async () => {
    await start()
    faults = [{ param: '/config/virtual_key', code: 'invalid_config', message: 'gone' }]
    await runJobIn(0)
    expect((await read()).reason).to.deep.equal({ metric: 'invalid_config', value: 1, bound: 0 })
  })

  it('can be cancelled, once, and started again', async () => {
    await start({ percent: 100 })
    expect(said(await ask('hello'))).to.equal('new')
    const cancelled = await api.delete(path)
    expect(cancelled.body).to.include({ status: 'cancelled' })
    expect(cancelled.body.ended_at).to.be.a('string')
    expect(said(await ask('hello'))).to.equal('old')
    expect((await api.delete(path)).status).to.equal(409)
    expect((await start()).status).to.equal(200)
  })

  it('protects the live version while it runs', async () => {
    await start()
    const changed = await api.put(`/v1/configs/${slug}`, {
      config: target(fresh.url, { retry: { attempts: 1 } }),
    })
    expect(changed.status).to.equal(409)
    expect(changed.error.param).to.equal('/config')
    expect((await api.post(`/v1/configs/${slug}/rollback`, { version: 1 })).status).to.equal(409)
    expect((await start()).status).to.equal(409)
    expect((await api.put(`/v1/configs/${slug}`, { name: 'Renamed' })).status).to.equal(200)
    expect((await read()).status).to.equal('running')
    const list = await api.get('/v1/configs?page_size=1000')
    const listed = list.data.find((each) => each.slug === slug)
    expect(listed?.rollout).to.deep.include({ status: 'running', to: 2, percent: 25 })
    expect((await api.delete(`/v1/configs/${slug}`)).status).to.equal(200)
    await runJobIn(600)
  })

  const refused: [what: string, body: object, status: number, param: string][] = [
    ['an unknown version', { to: 9 }, 404, '/to'],
    ['the live version', { to: 1 }, 400, '/to'],
    ['no version', { to: undefined }, 400, '/to'],
    ['a percentage of 0', { percent: 0 }, 400, '/percent'],
    ['a percentage over 100', { percent: 101 }, 400, '/percent'],
    ['steps that fall', { steps: [50, 25] }, 400, '/steps'],
    ['no steps', { steps: [] }, 400, '/steps'],
    ['a rate over 1', { abort_if: { error_rate: 5 } }, 400, '/abort_if/error_rate'],
    ['an unknown metric', { abort_if: { latency: 5 } }, 400, '/abort_if'],
    ['no time', { hold_minutes: 0 }, 400, '/hold_minutes'],
  ]
  for (const [what, more, status, param] of refused)
    it(`refuses ${what}`, async () => {
      const reply = await start(more)
      expect(reply.status, reply.text).to.equal(status)
      expect(reply.error.param).to.equal(param)
      if (status === 400) expect(reply.error.message).to.match(new RegExp(`^${param}: `))
    })

  it('shows that no rollout exists', async () => {
    expect((await api.get(path)).status).to.equal(404)
    expect((await api.get(`/v1/configs/${slug}`)).body.rollout).to.equal(null)
  })
})
