/** The hedged endpoints, the bounds of `hedge`, and its budget over two replicas. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { stubRandom, turnUntil } from '../../support/clock.ts'
import { chat, startGateway } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'

const hedge = { after_ms: 20 }
const list = { object: 'list', model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } }
const embedding = { ...list, data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }] }
const ranking = { model: 'm', results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 1 } }
const completion = { ...chatAnswer('ok'), object: 'text_completion', choices: [{ index: 0, text: 'ok' }] }

describe('hedging', () => {
  const scene = openScene()
  const random = stubRandom()
  let held: ServerResponse[] = []
  beforeEach(() => {
    held = []
    random(0)
    scene.answers = { slow: (_request, response) => void held.push(response) }
  })
  afterEach(() => {
    for (const response of held) response.destroy()
  })
  const called = (count: number) => turnUntil(() => held.length >= count, `${count} calls are made`)
  const answer = (at: number, body: object) => sendJson(held[at] as ServerResponse, 200, body)

  const jina = { provider: 'jina' }
  const messages = [{ role: 'user', content: 'x' }]
  const hedged: [path: string, body: Record<string, unknown>, answer: object, extra?: object][] = [
    ['/v1/chat/completions', { model: 'm', messages }, chatAnswer('ok')],
    ['/v1/completions', { model: 'm', prompt: 'x' }, completion],
    ['/v1/embeddings', { model: 'm', input: 'x' }, embedding],
    ['/v1/rerank', { model: 'm', query: 'x', documents: ['a'] }, ranking, jina],
  ]
  for (const [path, body, answered, extra = {}] of hedged)
    it(`applies to ${path}`, async () => {
      const asked = scene.ask(scene.leaf('slow', { ...extra, hedge }), { path, body })
      await called(2)
      answer(1, answered)
      const reply = await asked
      expect(reply.status, reply.text).to.equal(200)
      expect(reply.headers.get('x-gateway-hedge-count')).to.equal('1')
    })

  it('applies to the run of a prompt', async () => {
    const made = await scene.gateway.post('/v1/prompts', {
      name: 'Hedged',
      slug: 'hedged',
      collection_id: 'default',
      string: JSON.stringify(messages),
      parameters: { model: 'm' },
      workspace_id: 'default',
    })
    expect(made.status, await made.clone().text()).to.equal(200)
    const path = '/v1/prompts/hedged/completions'
    const asked = scene.ask(scene.leaf('slow', { hedge }), { path, body: { variables: {} } })
    await called(2)
    answer(1, chatAnswer('ok'))
    expect((await asked).headers.get('x-gateway-hedge-count')).to.equal('1')
  })

  const single: [path: string, body: Record<string, unknown>, answer: object][] = [
    [
      '/v1/images/generations',
      { model: 'm', prompt: 'x' },
      { created: 1, data: [{ url: 'https://a.example/b' }] },
    ],
    ['/v1/moderations', { model: 'm', input: 'x' }, { id: 'a', model: 'm', results: [] }],
  ]
  for (const [path, body, answered] of single)
    it(`does not apply to ${path}`, async () => {
      const asked = scene.ask(scene.leaf('slow', { hedge: { after_ms: 1 } }), { path, body })
      await called(1)
      // A hedge would be due by now.
      await new Promise((resolve) => setTimeout(resolve, 50))
      answer(0, answered)
      const reply = await asked
      expect(reply.status, reply.text).to.equal(200)
      expect([held.length, reply.headers.get('x-gateway-hedge-count')]).to.deep.equal([1, null])
    })

  const refused: [hedge: unknown, param: string][] = [
    [{ after_ms: 600_001 }, 'config/hedge/after_ms'],
    [{ after_ms: 1.5 }, 'config/hedge/after_ms'],
    [{ after_ms: '20' }, 'config/hedge/after_ms'],
    [{ after_ms: 1, budget_percent: 100.5 }, 'config/hedge/budget_percent'],
    [{ after_ms: 1, budget_percent: -1 }, 'config/hedge/budget_percent'],
    [20, 'config/hedge'],
  ]
  for (const [value, param] of refused)
    it(`refuses ${JSON.stringify(value)}`, async () => {
      const { status, error } = await scene.ask(scene.leaf('slow', { hedge: value }))
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_config', param])
    })

  it('is no config alone', async () => {
    const { status, error } = await scene.ask({ hedge })
    expect([status, error.code]).to.deep.equal([400, 'invalid_config'])
  })

  it('has a budget of ten for each node, counted separately in each replica', async () => {
    const config = scene.leaf('slow', { hedge: { after_ms: 1, budget_percent: 0.001 } })
    for (let replica = 0; replica < 2; replica += 1) {
      const gateway = await startGateway({ configs: { hedged: config } })
      const refusals = async () =>
        /gateway_hedges_total\{outcome="budget"\} (\d+)/.exec(
          await (await gateway.get('/metrics')).text(),
        )?.[1]
      for (let round = 1; round <= 11; round += 1) {
        const from = held.length
        const asked = gateway.post('/v1/chat/completions', chat(), { 'x-gateway-config': 'hedged' })
        if (round <= 10) await called(from + 2)
        else await until('the budget refuses', async () => (await refusals()) === '1')
        expect(held.length - from).to.equal(round <= 10 ? 2 : 1)
        answer(held.length - 1, chatAnswer('ok'))
        await (await asked).arrayBuffer()
      }
      await gateway.stop()
    }
  })
})
