/** `/v1/moderations`: takes and returns JSON. */
import { expect } from 'chai'
import { openScene } from '../../../support/scene.ts'
import { sendJson } from '../../../support/upstream.ts'

const path = '/v1/moderations'

describe('a moderation', () => {
  const scene = openScene()

  it('is requested with the unchanged body, and returned unchanged', async () => {
    const answer = { id: 'modr-1', model: 'omni', results: [{ flagged: true, categories: { hate: true } }] }
    scene.answers = { a: (_request, response) => sendJson(response, 200, answer) }
    const body = {
      model: 'omni-moderation-latest',
      input: [
        { type: 'text', text: 'hello' },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      ],
      house_rule: 1,
    }
    const reply = await scene.ask(scene.leaf('a'), { path, body })
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.equal(answer)
    expect(scene.seen('a')).to.deep.include({ path: '/a/v1/moderations', json: body })
  })

  const guard = { deny: true, contains: { operator: 'none', words: ['secret'] } }
  for (const input of ['a secret', ['fine', 'a secret'], [{ type: 'text', text: 'a secret' }]]) {
    it(`is checked by guardrails on its texts: ${JSON.stringify(input)}`, async () => {
      const reply = await scene.ask(scene.leaf('a', { input_guardrails: [guard] }), { path, body: { input } })
      expect(reply.status).to.equal(446)
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('is never cached', async () => {
    const config = scene.leaf('a', { cache: { mode: 'simple' } })
    await scene.ask(config, { path, body: { input: 'x' } })
    await scene.ask(config, { path, body: { input: 'x' } })
    expect(scene.calls()).to.deep.equal(['a', 'a'])
  })

  const refused: [body: Record<string, unknown>, param: string][] = [
    [{}, '/input'],
    [{ input: 7 }, '/input'],
    [{ input: [1] }, '/input/0'],
    [{ input: [{ text: 'x' }] }, '/input/0/type'],
    [{ input: 'x', model: 1 }, '/model'],
  ]
  for (const [body, param] of refused) {
    it(`is refused with 400 and the path for ${JSON.stringify(body)}`, async () => {
      const { status, error } = await scene.ask({ provider: 'echo' }, { path, body })
      expect(status).to.equal(400)
      expect(error.code).to.equal('invalid_body')
      expect(error.param).to.be.oneOf([param, '/input'])
    })
  }

  it('by echo flags nothing, with one result per text', async () => {
    for (const [input, count] of [
      ['x', 1],
      [['x', 'y'], 2],
      [[{ type: 'text', text: 'x' }], 1],
    ] as const) {
      const { body } = await scene.ask({ provider: 'echo' }, { path, body: { input } })
      expect(body.results).to.have.length(count)
      expect(body).to.have.nested.property('results[0].flagged', false)
    }
  })
})
