/** Invalid queries are refused when the config is read, with the path of the error. */
import { expect } from 'chai'
import { openScene, tree } from '../../support/scene.ts'

const nest = (depth: number): unknown => (depth === 0 ? { 'metadata.a': 'b' } : { $and: [nest(depth - 1)] })

const faults: Record<string, { query: unknown; path: string }> = {
  'an unknown operator': { query: { 'metadata.a': { $like: 'b' } }, path: '/metadata.a/$like' },
  'an unknown operator next to a known one': {
    query: { 'metadata.a': { $eq: 'b', $size: 1 } },
    path: '/metadata.a/$size',
  },
  'an operator next to a plain member': {
    query: { 'metadata.a': { $eq: 'b', plain: 1 } },
    path: '/metadata.a/plain',
  },
  'a field operator at the top': { query: { $eq: 'a' }, path: '/$eq' },
  'a root that is not known': { query: { 'body.model': 'a' }, path: '/body.model' },
  'only a root': { query: { metadata: 'a' }, path: '/metadata' },
  'another part of the url': { query: { 'url.host': 'a' }, path: '/url.host' },
  'a part of the path': { query: { 'url.pathname.length': 1 }, path: '/url.pathname.length' },
  '$or that is not a list': { query: { $or: { 'metadata.a': 'b' } }, path: '/$or' },
  'an empty $and': { query: { $and: [] }, path: '/$and' },
  'a text in $nor': { query: { $nor: ['a'] }, path: '/$nor/0' },
  '$not that is not an object': { query: { $not: 'a' }, path: '/$not' },
  '$in that is not a list': { query: { 'metadata.a': { $in: 'b' } }, path: '/metadata.a/$in' },
  '$nin that is not a list': { query: { 'metadata.a': { $nin: 'b' } }, path: '/metadata.a/$nin' },
  '$exists that is not a boolean': { query: { 'metadata.a': { $exists: 1 } }, path: '/metadata.a/$exists' },
  'a pattern that is not a string': { query: { 'metadata.a': { $regex: 5 } }, path: '/metadata.a/$regex' },
  'an invalid pattern': { query: { 'metadata.a': { $regex: '(' } }, path: '/metadata.a/$regex' },
  'a pattern that looks back': {
    query: { 'metadata.a': { $regex: '(a)\\1' } },
    path: '/metadata.a/$regex',
  },
}

describe('a query is refused', () => {
  const scene = openScene()
  const ask = (query: unknown) =>
    scene.ask(
      tree('conditional', [scene.leaf('a', { name: 'a' })], {
        conditions: [{ query, then: 'a' }],
        default: 'a',
      }),
    )

  for (const [what, { query, path }] of Object.entries(faults)) {
    it(`for ${what}`, async () => {
      const { status, error } = await ask(query)
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'invalid_config',
        param: `config/strategy/conditions/0/query${path}`,
      })
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('with all of its errors together', async () => {
    const { error } = await ask({ 'metadata.a': { $like: 1, $in: 2 }, $or: [] })
    expect(error.details).to.have.length(3)
  })

  it('when it is nested too deeply', async () => {
    expect((await ask(nest(10))).status).to.equal(200)
    expect((await ask(nest(22))).error.code).to.equal('invalid_config')
  })

  it('but not for a pattern with catastrophic backtracking in other engines', async () => {
    const query = { 'metadata.a': { $regex: '^(a+)+$' } }
    const config = tree('conditional', [scene.leaf('a', { name: 'a' }), scene.leaf('b', { name: 'b' })], {
      conditions: [{ query, then: 'b' }],
      default: 'a',
    })
    const metadata = JSON.stringify({ a: `${'a'.repeat(4000)}!` })
    await scene.ask(config, { headers: { 'x-gateway-metadata': metadata } })
    expect(scene.calls()).to.deep.equal(['a'])
  })
})
