/** `/v1/messages` with several targets: one body, translated for each target that requires it. */
import { expect } from 'chai'
import { openScene, tree } from '../../support/scene.ts'
import { sendEvents } from '../../support/upstream.ts'
import {
  ask,
  askMessages,
  eventsOf,
  kinds,
  named,
  openEvents,
  saidBy,
  says,
  targetOf,
  textOf,
} from './fixtures.ts'

describe('/v1/messages with several targets', () => {
  const scene = openScene()
  const other = { native: 'translated', translated: 'native' } as const
  const both = (first: (typeof kinds)[number]) =>
    tree('fallback', [targetOf(scene, first, { name: 'a' }), targetOf(scene, other[first], { name: 'b' })])

  for (const first of kinds) {
    for (const stream of [false, true]) {
      it(`falls back from a ${first} target to the other kind${stream ? ', in a stream' : ''}`, async () => {
        scene.answers = { a: 503, b: says('from b') }
        const reply = await askMessages(scene, both(first), { body: ask('x', { stream }) })
        expect([reply.status, reply.index]).to.deep.equal([200, 'config.targets[1]'])
        expect(stream ? textOf(reply) : saidBy(reply)).to.equal('from b')
        expect(scene.seen('a').path.endsWith('/messages')).to.equal(first === 'native')
        expect(scene.seen('b').path.endsWith('/messages')).to.equal(first !== 'native')
        expect(scene.seen('b').json).to.have.property(
          first === 'native' ? 'max_completion_tokens' : 'max_tokens',
          100,
        )
      })
    }
  }

  it('falls back before the first content of a stream, and not after', async () => {
    const fault = named({ type: 'error', error: { type: 'overloaded_error', message: 'o' } })
    scene.answers = { b: says('from b') }
    scene.answers.a = (_request, response) => sendEvents(response, [...openEvents().slice(0, 2), fault])
    const early = await askMessages(scene, both('native'), { body: ask('x', { stream: true }) })
    expect(textOf(early)).to.equal('from b')
    scene.answers.a = (_request, response) =>
      sendEvents(response, [...openEvents('from a').slice(0, 4), fault])
    const late = await askMessages(scene, both('native'), { body: ask('x', { stream: true }) })
    expect(textOf(late)).to.equal('from a')
    expect(eventsOf(late).at(-1)?.name).to.equal('error')
  })

  it('falls back from a target that the request cannot be translated for', async () => {
    scene.answers = { b: says('from b') }
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const reply = await askMessages(scene, both('translated'), { body: ask('x', { tools }) })
    expect([reply.status, saidBy(reply)]).to.deep.equal([200, 'from b'])
    expect(scene.calls()).to.deep.equal(['b'])
  })

  it('retries a failed target', async () => {
    scene.answers.a = [529, says('at last')]
    const retry = { attempts: 1, use_retry_after_headers: true }
    const reply = await askMessages(scene, targetOf(scene, 'translated', { name: 'a', extra: { retry } }))
    expect([reply.status, saidBy(reply), reply.headers.get('x-gateway-retry-attempt-count')]).to.deep.equal([
      200,
      'at last',
      '1',
    ])
  })
})
