/** Changes of a routing config at the place of a node, as the tree of the console makes them. */
import { expect } from 'chai'
import { loadWebModule } from './web-module.ts'

type Row = Record<string, unknown>
type Place = readonly number[]

interface Module {
  addTarget: (config: Row, place: Place) => Row
  removeTarget: (config: Row, place: Place) => Row
  moveInto: (config: Row, place: Place, home: Place) => { config: Row; place: Place }
  homesFor: (config: Row, place: Place) => Place[]
  setMode: (config: Row, place: Place, mode: string) => Row
  simpleCondition: (condition: Row) => Row | null
  conditionOf: (condition: Row) => Row
}

const leaf = (model: string, more: Row = {}) => ({ provider: '@a', override_params: { model }, ...more })
const tree = {
  strategy: { mode: 'fallback', on_status_codes: [429] },
  targets: [
    leaf('one'),
    { strategy: { mode: 'loadbalance' }, targets: [leaf('two', { weight: 2 }), leaf('three')] },
  ],
}

describe('the tree of a config', () => {
  let module: Module
  before(async () => {
    module = await loadWebModule<Module>('parts/config-tree.ts')
  })

  it('turns a leaf into a fallback with two targets, and keeps members that apply to both', () => {
    const config = { ...leaf('one'), cache: { mode: 'simple' }, retry: { attempts: 2 } }
    expect(module.addTarget(config, [])).to.deep.equal({
      cache: { mode: 'simple' },
      retry: { attempts: 2 },
      targets: [leaf('one'), leaf('one')],
      strategy: { mode: 'fallback' },
    })
  })

  it('adds a target without a provider to a node, and removes it', () => {
    const added = module.addTarget(tree, [1])
    expect(added).to.have.nested.property('targets[1].targets.length', 3)
    expect(module.removeTarget(added, [1, 2])).to.deep.equal(tree)
  })

  it('keeps names and the default of conditions right when targets are removed', () => {
    const config = module.setMode(tree, [], 'conditional')
    const named = {
      ...config,
      strategy: { ...(config.strategy as Row), conditions: [{ query: {}, then: 'target-1' }] },
    }
    expect(config.strategy).to.deep.equal({ mode: 'conditional', conditions: [], default: 'target-1' })
    expect(module.removeTarget(named, [0]).strategy).to.deep.equal({
      mode: 'conditional',
      conditions: [],
      default: 'target-2',
    })
  })

  it('moves a target into a later node, and returns its new place', () => {
    expect(module.homesFor(tree, [0])).to.deep.equal([[1]])
    expect(module.homesFor(tree, [1]), 'not into itself').to.deep.equal([])
    const { config, place } = module.moveInto(tree, [0], [1])
    expect(place).to.deep.equal([0, 2])
    expect(config).to.have.nested.property('targets[0].targets[2]').that.deep.equals(leaf('one'))
  })

  for (const [written, shown, query] of [
    [
      { 'metadata.plan': 'pro' },
      { key: 'metadata.plan', operator: '$eq', value: 'pro' },
      { 'metadata.plan': { $eq: 'pro' } },
    ],
    [
      { 'metadata.plan': { $in: ['pro', 'team'] } },
      { key: 'metadata.plan', operator: '$in', value: 'pro, team' },
      { 'metadata.plan': { $in: ['pro', 'team'] } },
    ],
    [
      { 'params.max_tokens': { $gt: 100 } },
      { key: 'params.max_tokens', operator: '$gt', value: '100' },
      { 'params.max_tokens': { $gt: 100 } },
    ],
  ] as const)
    it(`shows and writes the condition ${JSON.stringify(written)}`, () => {
      const simple = module.simpleCondition({ query: written, then: 'a' })
      expect(simple).to.deep.equal({ ...shown, then: 'a' })
      expect(module.conditionOf({ ...shown, then: 'a' })).to.deep.equal({ query, then: 'a' })
    })

  it('edits conditions with several keys as JSON', () => {
    expect(module.simpleCondition({ query: { $or: [] }, then: 'a' })).to.equal(null)
    expect(module.simpleCondition({ query: { 'metadata.a': 'x', 'metadata.b': 'y' }, then: 'a' })).to.equal(
      null,
    )
  })
})
