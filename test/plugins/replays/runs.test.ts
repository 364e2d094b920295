/** How replays run: budgets, the judge, similarity, cancelling, and requests that are not replayed. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'
import { answerGate } from '../batches/fixtures.ts'
import { type Body, candidate, openReplays, says } from './scene.ts'

const suite = (name: string) => ({ 'x-gateway-metadata': JSON.stringify({ suite: name }) })
const sourceOf = (name: string, sample = 1000) => ({ filter: { metadata: { suite: name } }, sample })

describe('a replay against a provider at its limit', () => {
  const scene = openReplays()

  it('has the same estimated cost as with capacity', async () => {
    const usage: [number, number] = [100_000, 10_000]
    scene.answers = { old: says('ok', usage), new: says('ok', usage) }
    await scene.ask(chat('question', { model: 'gpt-4o' }), suite('full'))
    const dry = () => scene.create({ source: sourceOf('full'), dry_run: true })
    const free = (await dry()).body.estimate as Record<string, number>
    expect(free.cost).to.be.closeTo(2.1, 1e-6)

    scene.answers.new = (request, response, count) => {
      response.setHeader('x-ratelimit-limit-requests', '100')
      response.setHeader('x-ratelimit-remaining-requests', '0')
      response.setHeader('x-ratelimit-reset-requests', '5m')
      return says('ok', usage)(request, response, count)
    }
    const { model } = candidate.override_params
    await scene.ask(chat('the last one', { model }), { 'x-gateway-virtual-key': 'new' })
    const refused = await scene.ask(chat('one more', { model }), { 'x-gateway-virtual-key': 'new' })
    expect(refused.status).to.equal(429)
    expect((await dry()).body.estimate).to.deep.equal(free)
  })
})

describe('a replay of requests in the Gemini format', () => {
  const scene = openReplays()

  it('compares the answers, whole and streamed', async () => {
    scene.answers = { old: says('{"a": 1}'), new: says('no JSON') }
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: { responseMimeType: 'application/json' },
    }
    for (const action of ['generateContent', 'streamGenerateContent?alt=sse'])
      await scene.ask(body, { ...suite('gemini'), path: `/v1beta/models/gpt-4o:${action}` })
    const replay = await scene.replay({ source: sourceOf('gemini') })
    expect(replay.counts).to.deep.include({ total: 2, completed: 2, skipped: 0 })
    expect(replay.baseline).to.deep.include({ json_valid_rate: 1, error_rate: 0 })
    expect(replay.candidate).to.deep.include({ json_valid_rate: 0, error_rate: 0 })
    expect(scene.callsOf('new').map(({ json }) => json?.model)).to.deep.equal(['gpt-4o-mini', 'gpt-4o-mini'])
  })
})

describe('a replay with a budget', () => {
  const scene = openReplays()

  // The prices of gpt-4o-mini: 15 cents for a million input tokens, 60 for a million output tokens.
  const usage: [number, number] = [100_000, 10_000]
  const price = 1.5 + 0.6

  before(async () => {
    scene.answers = { old: says('ok', usage), new: says('ok', usage) }
    for (let index = 0; index < 8; index += 1)
      await scene.ask(chat(`question ${index}`, { model: 'gpt-4o' }), suite('budget'))
  })

  it('estimates its cost in a dry run, which sends nothing', async () => {
    const before = scene.upstream.seen.length
    const { status, body, text } = await scene.create({ source: sourceOf('budget'), dry_run: true })
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ object: 'replay.dry_run', valid: true, errors: [] })
    expect(body.counts).to.deep.equal({ total: 8, completed: 0, failed: 0, skipped: 0, redacted: 0 })
    const estimate = body.estimate as Record<string, number>
    expect(estimate.cost).to.be.closeTo(8 * price, 1e-6)
    expect(estimate.tokens).to.equal(8 * 110_000)
    expect(scene.upstream.seen.length).to.equal(before)
    expect((await scene.api.get('/v1/replays')).body.total).to.equal(0)
  })

  for (const concurrency of [1, 4])
    it(`starts only the pairs that the budget covers, ${concurrency} at once`, async () => {
      const before = scene.callsOf('new').length
      const report = await scene.replay({
        source: sourceOf('budget'),
        budget: (3 * price + 0.5) / 100,
        concurrency,
      })
      expect(report).to.deep.include({ status: 'budget_exhausted' })
      expect(report.counts).to.deep.include({ total: 8, completed: 3, failed: 0, skipped: 0 })
      expect(report.cost).to.be.closeTo(3 * price, 1e-6)
      expect(scene.callsOf('new').length - before).to.equal(3)
    })

  it('is refused for a model without a price, because no budget could limit it', async () => {
    const config = { virtual_key: 'new', override_params: { model: 'house-model' } }
    const made = await scene.create({ source: sourceOf('budget'), config, budget: 1 })
    expect([made.status, made.error.param]).to.deep.equal([400, '/budget'])
    expect(made.error.message).to.contain('openai/house-model')
    const dry = await scene.create({ source: sourceOf('budget'), config, budget: 1, dry_run: true })
    expect(dry.body.valid).to.equal(false)
    const free = await scene.replay({ source: sourceOf('budget', 2), config })
    expect(free.status).to.equal('completed')
  })

  it('refuses configs that do not exist, unknown filters, and a filter without entries', async () => {
    const cases: [Body, string][] = [
      [{ config: 'nobody' }, '/config'],
      [{ source: { filter: { modle: 'x' }, sample: 1 } }, '/source/filter/modle'],
      [{ source: { filter: { workspace_slug: 'x' }, sample: 1 } }, '/source/filter/workspace_slug'],
      [{ source: { filter: { cost_min: 'x' }, sample: 1 } }, '/source/filter/cost_min'],
      [{ source: sourceOf('nothing') }, '/source/filter'],
      [{ source: { sample: 5001 } }, '/source/sample'],
      [{ concurrency: 0 }, '/concurrency'],
      [{ budget: -1 }, '/budget'],
      [{ seed: 1.5 }, '/seed'],
    ]
    for (const [body, param] of cases) {
      const made = await scene.create({ source: sourceOf('budget'), ...body })
      expect([made.error.param, made.status === 400 || made.status === 404], made.text).to.deep.equal([
        param,
        true,
      ])
    }
  })
})

describe('the judge of a replay', () => {
  const scene = openReplays()

  /** Prefers the answer that contains the text. */
  const prefers =
    (text: string) =>
    ({ json }: { json: Body | null }): string => {
      const asked = String((json?.messages as Body[] | undefined)?.[1]?.content)
      const a = asked.slice(asked.indexOf('<answer_a>'), asked.indexOf('</answer_a>'))
      return a.includes(text) ? 'A' : 'B'
    }
  const judging = (winner: (request: { json: Body | null }) => string) =>
    Object.assign(((request, response) => {
      const verdict = JSON.stringify({ winner: winner(request), reason: 'because' })
      sendJson(response, 200, chatAnswer(verdict, { model: 'gpt-4o' }))
    }) satisfies ReplayHandler)
  type ReplayHandler = (typeof scene.answers)[string]
  const judge = {
    config: { virtual_key: 'judge', override_params: { model: 'gpt-4o' } },
    criteria: 'Prefer the shorter answer.',
  }

  before(async () => {
    scene.answers = { old: says('a long answer') }
    for (let index = 0; index < 6; index += 1)
      await scene.ask(chat(`question ${index}`, { model: 'gpt-4o' }), suite('judge'))
  })

  it('is asked twice with the answers swapped, and its verdict counts only if both agree', async () => {
    scene.answers = { new: says('short'), judge: judging(prefers('short')) }
    const before = scene.callsOf('judge').length
    const report = await scene.replay({ source: sourceOf('judge'), judge })
    expect(scene.callsOf('judge').length - before).to.equal(12)
    expect(report.judge).to.deep.equal({
      pairs: 6,
      candidate_wins: 6,
      ties: 0,
      baseline_wins: 0,
      disagreement_rate: 0,
    })
    expect((report.diff as Record<string, unknown>).judge).to.deep.include({
      mean: 1,
      verdict: 'better',
      n: 6,
    })
    const { data } = await scene.api.get(`/v1/replays/${report.id}/pairs`)
    expect(data[0]?.judge).to.deep.equal({
      winner: 'candidate',
      agreed: true,
      reasons: ['because', 'because'],
    })
    const [asked] = scene.callsOf('judge').slice(before)
    expect(asked?.json).to.have.nested.property('response_format.json_schema.schema.properties.winner')
    expect(asked?.text).to.contain('Prefer the shorter answer.')
  })

  it('has no effect if it always prefers the first answer, and the report says so', async () => {
    scene.answers = { new: says('short'), judge: judging(() => 'A') }
    const report = await scene.replay({ source: sourceOf('judge'), judge })
    expect(report.judge).to.deep.include({ ties: 6, disagreement_rate: 1 })
    expect((report.diff as Record<string, unknown>).judge).to.deep.include({ mean: 0, verdict: null })
  })

  it('gives no verdict on a pair if its answer contains none', async () => {
    scene.answers = { new: says('short'), judge: says('I prefer A') }
    const report = await scene.replay({ source: sourceOf('judge'), judge })
    expect(report).to.deep.include({ status: 'completed', judge: null })
  })

  it('is paid from the budget of the replay', async () => {
    scene.answers = { new: says('short', [1000, 1000]), judge: judging(prefers('short')) }
    const before = scene.callsOf('judge').length
    const made = await scene.replay({ source: sourceOf('judge'), judge, budget: 0.004, concurrency: 1 })
    expect(made.status).to.equal('budget_exhausted')
    expect(made.cost).to.be.at.most(0.4)
    const { completed } = made.counts as { completed: number }
    expect(completed).to.be.within(0, 5)
    expect(scene.callsOf('judge').length - before).to.equal(2 * completed)
  })
})

describe('the similarity of answers', () => {
  const scene = openReplays({
    cache: { semantic: { provider: 'vectors', model: 'text-embedding-3-small', dimensions: 2 } },
  })

  it('is measured with the embedding model of the semantic cache; the least similar pair comes first', async () => {
    const vectors: Record<string, number[]> = { 'the sun': [1, 0], 'our star': [0.8, 0.6], 'a dog': [0, 1] }
    const answers = ['the sun', 'the sun', 'the sun']
    const others = ['the sun', 'our star', 'a dog']
    const numberOf = (json: Body | null) => Number((json?.messages as Body[] | undefined)?.[0]?.content)
    scene.answers = {
      old: (request, ...rest) => says(answers[numberOf(request.json)] ?? '')(request, ...rest),
      new: (request, ...rest) => says(others[numberOf(request.json)] ?? '')(request, ...rest),
      vectors: (request, response) => {
        const input = request.json?.input as string[]
        sendJson(response, 200, {
          object: 'list',
          model: 'text-embedding-3-small',
          data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectors[text] })),
          usage: { prompt_tokens: 4, total_tokens: 4 },
        })
      },
    }
    for (const index of [0, 1, 2])
      await scene.ask(chat(String(index), { model: 'gpt-4o' }), suite('similarity'))
    const report = await scene.replay({ source: sourceOf('similarity') })
    const { data } = await scene.api.get(`/v1/replays/${report.id}/pairs`)
    expect(data.map(({ similarity }) => Math.round(Number(similarity) * 100) / 100)).to.deep.equal([
      0, 0.8, 1,
    ])
    expect((report.diff as Record<string, Body>).similarity).to.deep.include({ n: 3 })
    // Equal answers need no embedding.
    expect(scene.callsOf('vectors')).to.have.length(2)
    const embedded = await scene.api.get('/v1/logs?endpoint_type=embed')
    expect(embedded.data).to.deep.equal([])
  })
})

describe('a running replay', () => {
  const scene = openReplays()
  const gate = answerGate()

  before(async () => {
    for (let index = 0; index < 10; index += 1)
      await scene.ask(chat(`question ${index}`, { model: 'gpt-4o' }), suite('cancel'))
  })

  it('can be cancelled: requests in flight complete, and no more are sent', async () => {
    const open = gate.hold()
    scene.answers.new = async (request, response, count) => {
      await gate.opened
      return says('ok')(request, response, count)
    }
    const made = await scene.create({ source: sourceOf('cancel'), concurrency: 2 })
    const { id } = made.body
    await until('two requests are in flight', () => scene.callsOf('new').length === 2)
    const running = await scene.api.get(`/v1/replays/${id}`)
    expect(running.body).to.deep.include({ status: 'running' })
    const cancelled = await scene.api.post(`/v1/replays/${id}/cancel`)
    expect(cancelled.body.status).to.equal('cancelled')
    open()
    const ended = await until('both pairs are there', async () => {
      const { body } = await scene.api.get(`/v1/replays/${id}`)
      return (body.counts as Body).completed === 2 ? body : null
    })
    expect(ended).to.deep.include({ status: 'cancelled' })
    expect(scene.callsOf('new')).to.have.length(2)
    const again = await scene.api.post(`/v1/replays/${id}/cancel`)
    expect([again.status, again.error.code]).to.deep.equal([409, 'conflict'])
    const listed = await scene.api.get('/v1/replays?status=cancelled')
    expect(listed.data.map((one) => one.id)).to.deep.equal([id])
    const actions = (await scene.api.audit('resource_type=replay')).map(({ action }) => action)
    // The second cancellation was refused.
    expect(actions).to.deep.equal(['cancel', 'cancel', 'create'])
  })

  it('waits when the candidate answers 429, and then compares its answer', async () => {
    let refused = 0
    scene.answers.new = (request, response, count) => {
      if (refused < 2) {
        refused += 1
        return sendJson(
          response,
          { status: 429, headers: { 'retry-after-ms': '5' } },
          { error: { message: 'slow down' } },
        )
      }
      return says('ok')(request, response, count)
    }
    const report = await scene.replay({ source: sourceOf('cancel', 3), seed: 1, concurrency: 1 })
    expect(report.counts).to.deep.include({ completed: 3 })
    expect((report.candidate as Body).error_rate).to.equal(0)
  })
})

describe('requests that are not replayed', () => {
  const scene = openReplays()

  it('are skipped: tools that the provider runs, media, and stored conversations', async () => {
    const image = `data:image/png;base64,${Buffer.alloc(300, 7).toString('base64')}`
    const bodies: Record<string, Body> = {
      plain: chat('plain', { model: 'gpt-4o' }),
      search: chat('search', { model: 'gpt-4o', web_search_options: {} }),
      hosted: chat('hosted', { model: 'gpt-4o', tools: [{ type: 'openrouter:advisor' }] }),
      media: {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }],
      },
    }
    for (const body of Object.values(bodies)) await scene.ask(body, suite('skipped'))
    const before = scene.callsOf('new').length
    const report = await scene.replay({ source: sourceOf('skipped') })
    expect(report.counts).to.deep.equal({ total: 4, completed: 1, failed: 0, skipped: 3, redacted: 0 })
    expect(scene.callsOf('new').length - before).to.equal(1)
  })

  it('a redacted request is replayed as it was stored, and counted', async () => {
    const redacting = {
      virtual_key: 'old',
      input_guardrails: [{ 'default.regexReplace': { rule: 'secret-\\d+', redactText: '[removed]' } }],
    }
    await scene.ask(chat('my secret-42', { model: 'gpt-4o' }), {
      ...suite('redacted'),
      'x-gateway-config': JSON.stringify(redacting),
    })
    const report = await scene.replay({ source: sourceOf('redacted') })
    expect(report.counts).to.deep.include({ total: 1, completed: 1, redacted: 1 })
    expect(scene.callsOf('new').at(-1)?.text).to.contain('my [removed]').and.not.contain('secret-42')
    const { data } = await scene.api.get(`/v1/replays/${report.id}/pairs`)
    expect(data[0]?.redacted).to.equal(true)
  })

  it('an erased request shows no answers, and the pair keeps its numbers', async () => {
    await scene.ask(chat('forget me', { model: 'gpt-4o' }), { 'x-gateway-metadata': '{"_user":"eve"}' })
    const report = await scene.replay({ source: { filter: { metadata: { _user: 'eve' } }, sample: 10 } })
    await until('the entry of the replay is delivered', async () => {
      const { body } = await scene.api.get('/v1/logs?source=replay&metadata={"_user":"eve"}')
      return body.total === 1
    })
    const erased = await scene.api.delete(`/v1/logs?metadata=${encodeURIComponent('{"_user":"eve"}')}`)
    expect(erased.body).to.deep.equal({ deleted: 2 })
    const { data } = await scene.api.get(`/v1/replays/${report.id}/pairs`)
    expect(data[0]).to.deep.include({ request: null })
    expect(data[0]?.candidate).to.deep.include({ status: 200, answer: null })
  })

  it('an inline config with a key shows it masked', async () => {
    await scene.ask(chat('masked', { model: 'gpt-4o' }), suite('masked'))
    const config = {
      provider: 'openai',
      api_key: 'sk-very-secret-0123456789',
      custom_host: scene.upstream.url,
    }
    const report = await scene.replay({ source: sourceOf('masked'), config })
    const text = JSON.stringify([report, (await scene.api.get('/v1/replays')).data, await scene.api.audit()])
    expect(text).not.to.contain('very-secret')
    expect(JSON.stringify(await scene.api.stored('replay', String(report.id)))).not.to.contain('very-secret')
    expect(report.config).to.include({ provider: 'openai' })
    expect(candidate.virtual_key).to.equal('new')
  })
})
