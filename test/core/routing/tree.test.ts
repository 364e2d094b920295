/** Strategies inside strategies: the called targets, and the path in `x-gateway-last-used-option-index`. */
import { expect } from 'chai'
import { stubRandom } from '../../support/clock.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('a tree of targets', () => {
  const scene = openScene()
  const random = stubRandom()
  const leaf = (name: string, extra = {}) => scene.leaf(name, extra)
  const index = async (config: unknown) => (await scene.ask(config)).index
  const always = (name: string, ...targets: unknown[]) =>
    tree('conditional', targets, { conditions: [{ query: {}, then: name }], default: name })

  it('can be a single leaf, whose path is config', async () => {
    expect(await index(leaf('a'))).to.equal('config')
  })

  it('with strategy single uses the first target, and no other', async () => {
    scene.answers = { a: 500 }
    const reply = await scene.ask(tree('single', [leaf('a'), leaf('b')]))
    expect(reply).to.include({ status: 500, index: 'config.targets[0]' })
    expect(scene.calls()).to.deep.equal(['a'])
  })

  it('can have any depth up to the limit', async () => {
    let config: unknown = leaf('deep')
    let path = ''
    for (let depth = 0; depth < 10; depth += 1) {
      config = tree('fallback', [leaf('never', { weight: 0 }), config])
      path += '.targets[1]'
    }
    scene.answers = { never: 500 }
    const reply = await scene.ask(config)
    expect(reply).to.include({ status: 200, index: `config${path}` })
    expect(scene.calls()).to.deep.equal([...Array(10).fill('never'), 'deep'])
  })

  it('is refused when it is nested too deeply', async () => {
    let config: unknown = leaf('a')
    for (let depth = 0; depth < 30; depth += 1) config = tree('single', [config])
    const { status, error } = await scene.ask(config)
    expect({ status, code: error.code }).to.deep.equal({ status: 400, code: 'invalid_header' })
  })

  it('falls back from one loadbalance to another', async () => {
    scene.answers = { a: 500, b: 500 }
    const pair = (...names: string[]) =>
      tree(
        'loadbalance',
        names.map((name) => leaf(name)),
      )
    const config = tree('fallback', [pair('a', 'b'), pair('c', 'd')])
    random(0.6)
    expect(await index(config)).to.equal('config.targets[1].targets[1]')
    random(0.4)
    expect(await index(config)).to.equal('config.targets[1].targets[0]')
    expect(scene.calls()).to.deep.equal(['b', 'd', 'a', 'c'])
  })

  it('balances load between fallbacks', async () => {
    scene.answers = { a: 500, c: 500 }
    const config = tree('loadbalance', [
      tree('fallback', [leaf('a'), leaf('b')]),
      { ...tree('fallback', [leaf('c'), leaf('d')]), weight: 3 },
    ])
    random(0.2)
    expect(await index(config)).to.equal('config.targets[0].targets[1]')
    random(0.3)
    expect(await index(config)).to.equal('config.targets[1].targets[1]')
  })

  it('continues after an exhausted fallback, by the status of its last answer', async () => {
    scene.answers = { a: 500, b: 429 }
    const inner = tree('fallback', [leaf('a'), leaf('b')])
    expect(await index(tree('fallback', [inner, leaf('c')], { on_status_codes: [429] }))).to.equal(
      'config.targets[1]',
    )
    expect(await index(tree('fallback', [inner, leaf('c')], { on_status_codes: [500] }))).to.equal(
      'config.targets[0].targets[1]',
    )
  })

  it('can combine all four strategies', async () => {
    scene.answers = { a: 500 }
    random(0.9)
    const config = tree('single', [
      always('go', leaf('x', { name: 'x' }), {
        ...tree('loadbalance', [leaf('y'), tree('fallback', [leaf('a'), leaf('b')])]),
        name: 'go',
      }),
    ])
    expect(await index(config)).to.equal('config.targets[0].targets[1].targets[1].targets[1]')
    expect(scene.calls()).to.deep.equal(['a', 'b'])
  })

  it('reports the retries of the target that answered, not of earlier targets', async () => {
    const patient = { retry: { attempts: 1, on_status_codes: [500], use_retry_after_headers: true } }
    const soon = (status: number) => (_request: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(status, { 'retry-after-ms': '1' }).end('{}')
    }
    scene.answers = { a: soon(500) }
    const reply = await scene.ask(tree('fallback', [leaf('a', patient), leaf('b')]))
    expect(scene.calls()).to.deep.equal(['a', 'a', 'b'])
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('0')
  })
})
