/** Which paths are proxied and which are refused. No path can leave the provider's base path. */
import { expect } from 'chai'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { askRaw } from '../../../support/raw-request.ts'
import { openScene } from '../../../support/scene.ts'

describe('the path of a proxied call', () => {
  const scene = openScene()

  describe("never leaves the provider's base path:", () => {
    const paths = [
      '..',
      '../x',
      'a/../../x',
      'a/..',
      '.',
      './x',
      'a/./b',
      '%2e%2e/x',
      '%2E%2E%2Fx',
      '..%2fx',
      'a%2f..%2f..%2fx',
      '%252e%252e/x',
      '%25252e%25252e%25252fx',
      '..%5cx',
      'a%5c..%5cx',
      '..;/x',
      '..;a=b/x',
      '%2e%2e;/x',
      '.%2e/x',
      'a/%zz',
      'a\\..\\x',
    ]
    for (const path of paths) {
      it(path, async () => {
        const { status, text } = await askRaw(scene.gateway.url, {
          path: `/v1/proxy/${path}`,
          headers: { 'x-gateway-api-key': adminKey, ...configHeader(scene.leaf('a')) },
        })
        expect(status, text).to.equal(404)
        expect(JSON.parse(text).error).to.include({ code: 'not_found', type: 'not_found_error' })
        expect(scene.calls()).to.deep.equal([])
      })
    }

    for (const path of [
      '...',
      '..a',
      'a..b',
      '%2e',
      'a%2fb',
      'v1.5',
      '@user/x',
      'http://other.example/x',
      '/x',
    ]) {
      it(`is forwarded when it stays there: ${path}`, async () => {
        const { status } = await askRaw(scene.gateway.url, {
          path: `/v1/proxy/${path}`,
          headers: { 'x-gateway-api-key': adminKey, ...configHeader(scene.leaf('a')) },
        })
        if (path === '%2e') {
          expect(status).to.equal(404)
          return
        }
        expect(status).to.equal(200)
        expect(scene.seen('a').path).to.equal(`/a/v1/${path}`)
      })
    }
  })

  const otherRoutes: [method: string, path: string, status: number][] = [
    ['GET', '/v1/proxy', 404],
    ['GET', '/v1/proxy/', 404],
    ['TRACE', '/v1/proxy/x', 405],
    ['PROPFIND', '/v1/proxy/x', 405],
  ]
  for (const [method, path, status] of otherRoutes) {
    it(`is refused with 404: ${method} ${path}`, async () => {
      const headers = { 'x-gateway-api-key': adminKey, ...configHeader(scene.leaf('a')) }
      expect((await askRaw(scene.gateway.url, { method, path, headers })).status).to.equal(status)
    })
  }
})
