/** The requests that belong to one session: the key of `strategy.sticky`, endpoint by endpoint. */
import { expect } from 'chai'
import { openScene, tree, withSpentProvider } from '../../support/scene.ts'

const names = ['a', 'b', 'c']
/** So many pairs of sessions that three targets never serve all of them alike by chance. */
const pairs = 20

type Body = Record<string, unknown>
interface Sent {
  path: string
  body: Body
  headers?: Record<string, string>
}

const say = (role: string, content: string) => ({ role, content })
const messages = (...items: object[]): Sent => ({
  path: '/v1/chat/completions',
  body: { model: 'm', messages: items },
})
const long = 'x'.repeat(1024)

describe('the key of a sticky session', () => {
  const scene = openScene(withSpentProvider)
  const config = (by: string) => ({
    ...tree(
      'loadbalance',
      names.map((name) => scene.leaf(name)),
    ),
    strategy: { mode: 'loadbalance', sticky: { by } },
  })
  const homeOf = async (by: string, { path, body, headers = {} }: Sent) => {
    await scene.ask(config(by), { path, body, headers })
    return String(scene.calls().at(-1))
  }

  const chats: [what: string, by: string, one: (n: string) => Sent, other: (n: string) => Sent][] = [
    [
      'later turns of a chat',
      'auto',
      (n) => messages(say('user', n)),
      (n) => messages(say('user', n), say('assistant', 'ok'), say('user', 'more')),
    ],
    [
      'the same first kilobyte of a prompt',
      'auto',
      (n) => ({ path: '/v1/completions', body: { model: 'm', prompt: n.padEnd(1024, 'x') } }),
      (n) => ({ path: '/v1/completions', body: { model: 'm', prompt: `${n.padEnd(1024, 'x')} and more` } }),
    ],
    [
      'the same first kilobyte of an input',
      'auto',
      (n) => ({ path: '/v1/embeddings', body: { model: 'm', input: n.padEnd(1024, 'x') } }),
      (n) => ({ path: '/v1/embeddings', body: { model: 'm', input: `${n.padEnd(1024, 'x')} and more` } }),
    ],
    [
      'the same instructions and first user item',
      'auto',
      (n) => ({ path: '/v1/responses', body: { model: 'm', instructions: n, input: [say('user', 'hi')] } }),
      (n) => ({
        path: '/v1/responses',
        body: {
          model: 'm',
          instructions: n,
          input: [say('user', 'hi'), say('assistant', 'ok'), say('user', 'more')],
        },
      }),
    ],
    [
      'a metadata key that is missing: the conversation',
      'metadata.team',
      (n) => messages(say('user', n)),
      (n) => messages(say('user', n), say('assistant', 'ok'), say('user', 'more')),
    ],
    [
      'a header that is missing: the conversation',
      'header.x-session',
      (n) => messages(say('user', n)),
      (n) => messages(say('user', n), say('assistant', 'ok'), say('user', 'more')),
    ],
  ]
  for (const [what, by, one, other] of chats)
    it(`is the same for ${what}`, async () => {
      for (let count = 0; count < pairs; count += 1)
        expect(await homeOf(by, other(`s${count}`))).to.equal(await homeOf(by, one(`s${count}`)))
    })

  const different: [what: string, by: string, one: (n: string) => Sent, other: (n: string) => Sent][] = [
    [
      'another system message',
      'auto',
      (n) => messages(say('system', 'a'), say('user', n)),
      (n) => messages(say('system', 'b'), say('user', n)),
    ],
    [
      'other tools',
      'auto',
      (n) => messages(say('user', n)),
      (n) => {
        const sent = messages(say('user', n))
        return { ...sent, body: { ...sent.body, tools: [{ type: 'function', function: { name: 'f' } }] } }
      },
    ],
    [
      'another first kilobyte of a prompt',
      'auto',
      (n) => ({ path: '/v1/completions', body: { model: 'm', prompt: `${n} a ${long}` } }),
      (n) => ({ path: '/v1/completions', body: { model: 'm', prompt: `${n} b ${long}` } }),
    ],
    [
      'another user',
      'user',
      (n) => ({
        ...messages(say('user', 'hi')),
        body: { ...messages(say('user', 'hi')).body, user: `a${n}` },
      }),
      (n) => ({
        ...messages(say('user', 'hi')),
        body: { ...messages(say('user', 'hi')).body, user: `b${n}` },
      }),
    ],
  ]
  for (const [what, by, one, other] of different)
    it(`is not the same for ${what}`, async () => {
      let moved = 0
      for (let count = 0; count < pairs; count += 1)
        if ((await homeOf(by, one(`s${count}`))) !== (await homeOf(by, other(`s${count}`)))) moved += 1
      expect(moved).to.be.above(0)
    })

  it('belongs to its workspace', async () => {
    const made = await scene.gateway.post('/v1/workspaces', { name: 'Other', slug: 'other' })
    expect(made.status).to.equal(200)
    const created = await scene.gateway.post('/v1/api-keys/workspace/service', {
      name: 'other',
      workspace_id: 'other',
      scopes: ['completions.write'],
    })
    const { key } = (await created.json()) as { key: string }
    let moved = 0
    for (let count = 0; count < pairs; count += 1) {
      const sent = messages(say('user', `workspace ${count}`))
      const own = await homeOf('auto', sent)
      if ((await homeOf('auto', { ...sent, headers: { 'x-gateway-api-key': key } })) !== own) moved += 1
    }
    expect(moved).to.be.above(0)
  })

  it('distinguishes equal targets by their order', async () => {
    const equal = (...weights: number[]) => ({
      ...tree(
        'loadbalance',
        weights.map((weight) => scene.leaf('a', { weight })),
      ),
      strategy: { mode: 'loadbalance', sticky: { by: 'auto' } },
    })
    const seen = new Set<string | null>()
    for (let count = 0; count < pairs; count += 1) {
      const { path, body } = messages(say('user', `equal ${count}`))
      const { index } = await scene.ask(equal(1, 1), { path, body })
      expect((await scene.ask(equal(1, 1), { path, body })).index).to.equal(index)
      seen.add(index)
    }
    expect([...seen].sort()).to.deep.equal(['config.targets[0]', 'config.targets[1]'])
  })

  it('leaves out targets that are refused, and returns the last refusal when all are', async () => {
    const { path, body } = messages(say('user', 'refused'))
    const refused = { provider: '@spent' }
    const some = { ...config('auto'), targets: [refused, scene.leaf('b')] }
    expect((await scene.ask(some, { path, body })).index).to.equal('config.targets[1]')
    const none = await scene.ask({ ...config('auto'), targets: [refused, refused] }, { path, body })
    expect([none.status, none.error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
  })

  const refused: [sticky: unknown, param: string][] = [
    [{}, 'config/strategy/sticky/by'],
    [{ by: 'model' }, 'config/strategy/sticky/by'],
    [{ by: 'metadata.' }, 'config/strategy/sticky/by'],
    [{ by: 'auto', ttl_seconds: 0 }, 'config/strategy/sticky/ttl_seconds'],
    [{ by: 'auto', ttl_seconds: 86_401 }, 'config/strategy/sticky/ttl_seconds'],
    [{ by: 'auto', colour: 'red' }, 'config/strategy/sticky'],
  ]
  for (const [sticky, param] of refused)
    it(`refuses ${JSON.stringify(sticky)}`, async () => {
      const given = { ...config('auto'), strategy: { mode: 'loadbalance', sticky } }
      const { status, error } = await scene.ask(given)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_config', param])
    })
})
