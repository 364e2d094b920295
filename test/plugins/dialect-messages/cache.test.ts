/** `/v1/messages` and the cache: answers and streams are returned in the caller's format. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'
import { ask, askMessages, kinds, says, targetOf } from './fixtures.ts'

describe('/v1/messages in the cache', () => {
  const scene = openScene()
  const statusOf = (reply: { headers: Headers }) => reply.headers.get('x-gateway-cache-status')

  for (const kind of kinds) {
    for (const stream of [false, true]) {
      it(`is returned unchanged: ${kind}${stream ? ', as a stream' : ''}`, async () => {
        scene.answers.a = says('one', 'two')
        const config = targetOf(scene, kind, { name: 'a', extra: { cache: { mode: 'simple' } } })
        const body = ask(`${kind} ${stream}`, { stream })
        const first = await askMessages(scene, config, { body })
        const second = await askMessages(scene, config, { body })
        expect([statusOf(first), statusOf(second)]).to.deep.equal(['MISS', 'HIT'])
        expect(scene.calls()).to.deep.equal(['a'])
        expect(second.text).to.equal(first.text).and.to.contain('two')
        expect(second.headers.get('content-type')).to.equal(first.headers.get('content-type'))
      })
    }
  }

  it('has separate entries for different beta features', async () => {
    const config = targetOf(scene, 'native', { name: 'a', extra: { cache: { mode: 'simple' } } })
    const asked: [string, string][] = [
      ['a', 'MISS'],
      ['b', 'MISS'],
      ['a', 'HIT'],
    ]
    for (const [beta, status] of asked) {
      const reply = await askMessages(scene, config, {
        body: ask('beta'),
        headers: { 'anthropic-beta': beta },
      })
      expect(statusOf(reply)).to.equal(status)
    }
  })

  it('has separate entries for the same chat completion', async () => {
    const config = targetOf(scene, 'translated', { name: 'a', extra: { cache: { mode: 'simple' } } })
    const body = ask('both')
    await askMessages(scene, config, { body })
    const chat = await scene.ask(config, { body })
    expect(statusOf(chat)).to.equal('MISS')
    expect(chat.body).to.have.property('choices')
  })

  it('runs the output guardrails on the cached answer', async () => {
    scene.answers.a = says('a bad word')
    const cache = { mode: 'simple' }
    const guard = { id: 'no-bad', deny: true, contains: { operator: 'none', words: ['bad'] } }
    for (const stream of [false, true]) {
      const body = ask(`guarded ${stream}`, { stream })
      const guarded = targetOf(scene, 'translated', {
        name: 'a',
        extra: { cache, output_guardrails: [guard] },
      })
      expect((await askMessages(scene, guarded, { body })).status).to.equal(446)
      expect((await askMessages(scene, guarded, { body })).status).to.equal(446)
    }
    // The denied answer was not stored.
    expect(scene.calls()).to.have.length(4)
  })
})
