/** The routes that the router finds for a method and a path. */
import { expect } from 'chai'
import { createRouter } from '#core/server/routes'

const router = createRouter(
  [
    ['POST', '/v1/things'],
    ['GET', '/v1/things'],
    ['GET', '/v1/things/:id'],
    ['DELETE', '/v1/things/:id'],
    ['GET', '/v1/things/search'],
    ['GET', '/v1/things/:id/parts/:part'],
    ['GET', '/v1/files/*path'],
    ['GET', '/v1/:anything/first'],
    ['GET', '/v1/:anything/:else'],
  ].map(([method = '', path = '']) => ({ method, path, target: `${method} ${path}` })),
)

describe('the router', () => {
  const rows: [method: string, path: string, target: string | null, params?: Record<string, string>][] = [
    ['POST', '/v1/things', 'POST /v1/things'],
    ['POST', '/v1/things/', 'POST /v1/things'],
    ['POST', '/v1/things//', null],
    ['POST', '/v1/Things', null],
    ['PUT', '/v1/things', null],
    ['HEAD', '/v1/things', 'GET /v1/things'],
    ['HEAD', '/v1/things/a', 'GET /v1/things/:id', { id: 'a' }],
    ['GET', '/v1/things/a%2Fb%20c', 'GET /v1/things/:id', { id: 'a/b c' }],
    ['GET', '/v1/things/%zz', 'GET /v1/things/:id', { id: '%zz' }],
    ['GET', '/v1/things/a/', 'GET /v1/things/:id', { id: 'a' }],
    ['DELETE', '/v1/things/a', 'DELETE /v1/things/:id', { id: 'a' }],
    ['GET', '/v1/things/search', 'GET /v1/things/search'],
    ['GET', '/v1/things/a/parts/b', 'GET /v1/things/:id/parts/:part', { id: 'a', part: 'b' }],
    ['GET', '/v1/files/a/b%2Fc', 'GET /v1/files/*path', { path: 'a/b/c' }],
    ['GET', '/v1/x/first', 'GET /v1/:anything/first', { anything: 'x' }],
    ['GET', '/v1/x/second', 'GET /v1/:anything/:else', { anything: 'x', else: 'second' }],
    ['GET', '/', null],
  ]
  for (const [method, path, target, params = {}] of rows)
    it(`finds ${target ?? 'nothing'} for ${method} ${path}`, () => {
      expect(router.find(method, path)).to.deep.equal(target === null ? null : { target, params })
    })

  it('lists every method of a path, with HEAD for GET', () => {
    expect([...router.methodsAt('/v1/things/').keys()]).to.deep.equal(['POST', 'HEAD', 'GET'])
    expect([...router.methodsAt('/v1/things/a').keys()]).to.have.members(['HEAD', 'GET', 'DELETE'])
    expect([...router.methodsAt('/v1/none').keys()]).to.deep.equal([])
  })

  it('lists for each method the target that it finds', () => {
    expect(router.methodsAt('/v1/things/search').get('GET')).to.equal('GET /v1/things/search')
    expect(router.methodsAt('/v1/x/first').get('GET')).to.equal('GET /v1/:anything/first')
  })
})
