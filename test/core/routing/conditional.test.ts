/** `conditional`: the first condition whose query matches selects the target; otherwise the default. */
import { expect } from 'chai'
import { openScene, tree } from '../../support/scene.ts'

describe('conditional', () => {
  const scene = openScene((origin) => ({
    configs: {
      saved: {
        strategy: {
          mode: 'conditional',
          conditions: [{ query: { 'metadata.plan': 'pro' }, then: 'pro' }],
          default: 'free',
        },
        targets: ['pro', 'free'].map((name) => ({
          name,
          provider: 'openai',
          api_key: 'sk-test',
          custom_host: `${origin}/${name}/v1`,
        })),
      },
    },
  }))
  const metadata = (value: Record<string, string>) => ({ 'x-gateway-metadata': JSON.stringify(value) })
  const named = (...names: string[]) => names.map((name) => scene.leaf(name, { name }))
  const conditions = [
    { query: { 'metadata.plan': 'pro' }, then: 'b' },
    { query: { 'metadata.region': 'eu' }, then: 'c' },
    { query: { 'metadata.plan': { $exists: true } }, then: 'a' },
  ]
  const config = () => tree('conditional', named('a', 'b', 'c'), { conditions, default: 'a' })

  const choices: { given: Record<string, string>; target: string; index: number }[] = [
    { given: { plan: 'pro' }, target: 'b', index: 1 },
    { given: { region: 'eu' }, target: 'c', index: 2 },
    { given: { plan: 'pro', region: 'eu' }, target: 'b', index: 1 },
    { given: { plan: 'free', region: 'eu' }, target: 'c', index: 2 },
    { given: {}, target: 'a', index: 0 },
  ]
  for (const { given, target, index } of choices) {
    it(`routes ${JSON.stringify(given)} to ${target}`, async () => {
      const reply = await scene.ask(config(), { headers: metadata(given) })
      expect(scene.calls()).to.deep.equal([target])
      expect(reply.index).to.equal(`config.targets[${index}]`)
    })
  }

  it('uses the default when the list of conditions is empty', async () => {
    await scene.ask(tree('conditional', named('a', 'b'), { conditions: [], default: 'b' }))
    expect(scene.calls()).to.deep.equal(['b'])
  })

  it('works in a saved config', async () => {
    await scene.ask(null, { headers: { 'x-gateway-config': 'saved', ...metadata({ plan: 'pro' }) } })
    await scene.ask(null, { headers: { 'x-gateway-config': 'saved' } })
    expect(scene.calls()).to.deep.equal(['pro', 'free'])
  })

  it('returns any answer of its target, and calls no other target', async () => {
    scene.answers = { a: 500 }
    expect((await scene.ask(config())).status).to.equal(500)
    expect(scene.calls()).to.deep.equal(['a'])
  })

  it('matches the body after override_params', async () => {
    const query = { 'params.model': 'gpt-x' }
    const chosen = tree('conditional', named('a', 'b'), { conditions: [{ query, then: 'b' }], default: 'a' })
    await scene.ask({ ...chosen, override_params: { model: 'gpt-x' } })
    expect(scene.calls()).to.deep.equal(['b'])
  })

  describe('refuses', () => {
    const only = (strategy: Record<string, unknown>) => tree('conditional', named('a'), strategy)
    const query = { 'metadata.a': 'b' }
    const refusals: { what: string; strategy: Record<string, unknown>; code?: string; params: string[] }[] = [
      { what: 'no conditions and no default', strategy: {}, params: ['/conditions', '/default'] },
      { what: 'no conditions', strategy: { default: 'a' }, params: ['/conditions'] },
      { what: 'no default', strategy: { conditions: [] }, params: ['/default'] },
      {
        what: 'a condition without query and then',
        strategy: { conditions: [{}], default: 'a' },
        params: ['/conditions/0/query', '/conditions/0/then'],
      },
      {
        what: 'an unknown key in a condition',
        strategy: { conditions: [{ query, then: 'a', else: 'a' }], default: 'a' },
        params: ['/conditions/0'],
      },
      {
        what: 'names that no target has',
        strategy: { conditions: [{ query, then: 'nobody' }], default: 'none' },
        code: 'unknown_target',
        params: ['/conditions/0/then', '/default'],
      },
    ]
    for (const { what, strategy, code = 'invalid_config', params } of refusals) {
      it(what, async () => {
        const { status, error } = await scene.ask(only(strategy))
        const paths = params.map((path) => `config/strategy${path}`)
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code,
          param: paths[0],
        })
        expect(error.details).to.have.length(paths.length)
        expect((error.details as { param: string }[]).map(({ param }) => param)).to.deep.equal(paths)
      })
    }

    it('a target name that exists only on a deeper level', async () => {
      const inner = tree('single', named('deep'))
      const outer = tree('conditional', [inner, ...named('a')], { conditions: [], default: 'deep' })
      expect((await scene.ask(outer)).error).to.include({
        code: 'unknown_target',
        param: 'config/strategy/default',
      })
    })
  })
})
