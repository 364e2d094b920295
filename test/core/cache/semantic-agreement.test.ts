/** Semantic hits through HTTP: stored answers to similar questions are refused if those ask for something else. */
import { expect } from 'chai'
import type { TestGateway } from '../../support/gateway.ts'
import { answerOk, chatAnswer, sendJson } from '../../support/upstream.ts'
import { openSemanticScene, semantic } from './semantic-scene.ts'

interface CacheDecision {
  step: string
  status: string
  similarity?: number
  refused?: { similarity: number; because: string }[]
}

describe('the agreement of a semantic hit', () => {
  const scene = openSemanticScene()
  const { topic, start } = scene
  let gateway: TestGateway
  before(async () => {
    // `strict` is the default.
    gateway = await start('memory:', { agreement: undefined })
  })
  after(() => gateway.stop())

  const answer = (text: string) =>
    scene.upstream.handle((_request, response) => sendJson(response, 200, chatAnswer(text)))
  const ask = (text: string, headers: Record<string, string> = {}) =>
    scene.ask(text, { gateway, headers: { ...semantic(), ...headers } })
  const decisionOf = async (text: string) => {
    const reply = await ask(text, { 'x-gateway-explain': 'true' })
    const { decisions } = JSON.parse(reply.text) as { decisions: CacheDecision[] }
    return decisions.find(({ step }) => step === 'cache')
  }

  it('is required: a question with another number does not get a similar answer', async () => {
    answer('100')
    await ask(`Is 100 dollars much? ${topic()}`)
    answer('1000')
    const other = await ask(`Is 1000 dollars much? ${topic()}`)
    expect([other.cache, other.similarity]).to.deep.equal(['SEMANTIC MISS', null])
    expect(other.text).to.contain('1000')
  })

  it('is sufficient: the same question in other words gets the answer', async () => {
    await ask(`How do I pay 100 dollars? ${topic()}`)
    const near = await ask(`How can I pay $100? ${topic()} please`)
    expect([near.cache, near.similarity]).to.deep.equal(['SEMANTIC HIT', '0.9900'])
  })

  it('is checked with the next answers when the most similar one disagrees', async () => {
    answer('few')
    await ask(`Is 100 dollars much? ${topic()}`)
    answer('many')
    await ask(`Is 1000 dollars much? ${topic()} thanks`)
    const found = await ask(`Is 1000 dollars much? ${topic()}`)
    expect([found.cache, found.similarity]).to.deep.equal(['SEMANTIC HIT', '0.9700'])
    expect(found.text).to.contain('many')
  })

  const reasons: [because: string, one: string, other: string][] = [
    ['numbers', 'Is 100 dollars much?', 'Is 1000 dollars much?'],
    ['negation', 'What may I eat?', 'What may I not eat?'],
    ['opposites', 'How do I enable it?', 'How do I disable it?'],
    ['literals', 'What is "a"?', 'What is "b"?'],
    ['names', 'Is it far to Rome?', 'Is it far to Paris?'],
    ['order', 'Does Rust beat Go?', 'Does Go beat Rust?'],
    ['words', 'Is a cat nice?', 'Is a dog nice?'],
    ['units', 'How many miles is it?', 'How many meters is it?'],
  ]
  for (const [because, one, other] of reasons)
    it(`is in the decision trace if it fails because of ${because}`, async () => {
      scene.upstream.handle(answerOk)
      await ask(`${one} ${topic()}`)
      expect(await decisionOf(`${other} ${topic()}`)).to.deep.include({
        status: 'SEMANTIC MISS',
        refused: [{ similarity: 1, because }],
      })
    })

  it('shows refused neighbours in addition to the one that was found', async () => {
    scene.upstream.handle(answerOk)
    await ask(`Is 100 dollars much? ${topic()}`)
    await ask(`Is 1000 dollars much? ${topic()} thanks`)
    expect(await decisionOf(`Is 1000 dollars much? ${topic()}`)).to.deep.include({
      status: 'SEMANTIC HIT',
      similarity: 0.97,
      refused: [{ similarity: 1, because: 'numbers' }],
    })
  })

  it('is required to replace an entry by a forced refresh', async () => {
    answer('first')
    await ask(`Is 100 dollars much? ${topic()}`)
    answer('second')
    await ask(`Is 1000 dollars much? ${topic()}`, { 'x-gateway-cache-force-refresh': 'true' })
    const first = await ask(`Is 100 dollars much? ${topic()} please`)
    expect([first.cache, first.text.includes('first')]).to.deep.equal(['SEMANTIC HIT', true])
    const second = await ask(`Is 1000 dollars much? ${topic()} please`)
    expect([second.cache, second.text.includes('second')]).to.deep.equal(['SEMANTIC HIT', true])
  })

  it('is not checked when it is off', async () => {
    const off = await start('memory:', { agreement: 'off' })
    await scene.ask(`Is 100 dollars much? ${topic()}`, { gateway: off })
    expect(await scene.status(`Is 1000 dollars much? ${topic()}`, { gateway: off })).to.equal('SEMANTIC HIT')
    await off.stop()
  })

  it('is shown by a dry run', async () => {
    const config = { provider: '@main', cache: { mode: 'semantic' } }
    const body = { endpoint: 'chatComplete' }
    for (const [at, agreement] of [
      [gateway, 'strict'],
      [scene.gateway, 'off'],
    ] as const) {
      const dry = await at.post('/v1/dry-run', {
        ...body,
        headers: { 'x-gateway-config': JSON.stringify(config) },
        body: { model: 'test-model', messages: [{ role: 'user', content: topic() }] },
      })
      const { cache } = (await dry.json()) as { cache: unknown }
      expect(cache).to.deep.equal({ mode: 'semantic', agreement, would: 'miss' })
    }
  })

  it('must be strict or off', async () => {
    const fault = await start('memory:', { agreement: 'lax' }).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(fault).to.contain('/cache/semantic/agreement')
  })
})
