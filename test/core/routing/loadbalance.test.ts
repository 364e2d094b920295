/** `loadbalance`: weighted random over the targets, in proportion for any sum of weights. */
import { expect } from 'chai'
import { stubRandom } from '../../support/clock.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('loadbalance', () => {
  const scene = openScene()
  const random = stubRandom()
  const balanced = (...weights: (number | undefined)[]) =>
    tree(
      'loadbalance',
      weights.map((weight, index) => scene.leaf(`t${index}`, weight === undefined ? {} : { weight })),
    )

  const picks: { weights: (number | undefined)[]; random: number; target: string }[] = [
    { weights: [1, 1], random: 0, target: 't0' },
    { weights: [1, 1], random: 0.499, target: 't0' },
    { weights: [1, 1], random: 0.5, target: 't1' },
    { weights: [1, 1], random: 0.999, target: 't1' },
    { weights: [0.75, 0.25], random: 0.74, target: 't0' },
    { weights: [0.75, 0.25], random: 0.76, target: 't1' },
    { weights: [30, 10], random: 0.74, target: 't0' },
    { weights: [30, 10], random: 0.76, target: 't1' },
    { weights: [3, undefined], random: 0.76, target: 't1' },
    { weights: [undefined, undefined, undefined], random: 0.34, target: 't1' },
    { weights: [0, 1], random: 0, target: 't1' },
    { weights: [1, 0], random: 0.999, target: 't0' },
  ]
  for (const { weights, random: number, target } of picks) {
    it(`chooses ${target} for the weights ${weights.map(String).join(', ')} and the random number ${number}`, async () => {
      random(number)
      const reply = await scene.ask(balanced(...weights))
      expect(scene.calls()).to.deep.equal([target])
      expect(reply.index).to.equal(`config.targets[${target.slice(1)}]`)
    })
  }

  it('distributes requests in proportion to the weights', async () => {
    let call = 0
    random(() => (call++ % 20) / 20)
    for (let count = 0; count < 20; count += 1) await scene.ask(balanced(7, 2, 1))
    const share = (name: string) => scene.calls().filter((called) => called === name).length
    expect([share('t0'), share('t1'), share('t2')]).to.deep.equal([14, 4, 2])
  })

  it('returns any answer of its target, and calls no other target', async () => {
    random(0)
    scene.answers = { t0: 500 }
    const reply = await scene.ask(balanced(1, 1))
    expect(reply.status).to.equal(500)
    expect(scene.calls()).to.deep.equal(['t0'])
  })

  const refusals = [
    { weights: [0, 0], code: 'all_weights_zero', param: 'config/targets' },
    { weights: [1, -1], code: 'invalid_config', param: 'config/targets/1/weight' },
  ]
  for (const { weights, code, param } of refusals) {
    it(`refuses the weights ${weights.join(', ')}`, async () => {
      const { status, error } = await scene.ask(balanced(...weights))
      expect({ status, code: error.code, param: error.param }).to.deep.equal({ status: 400, code, param })
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('refuses a nested loadbalance whose weights are all 0', async () => {
    const { error } = await scene.ask(tree('single', [scene.leaf('a'), balanced(0, 0)]))
    expect(error).to.include({ code: 'all_weights_zero', param: 'config/targets/1/targets' })
  })

  it('ignores weights of 0 for another strategy', async () => {
    const reply = await scene.ask(tree('fallback', [scene.leaf('a', { weight: 0 })]))
    expect(reply.status).to.equal(200)
  })
})
