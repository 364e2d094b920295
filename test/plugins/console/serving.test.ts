/**
 * How the console's files are served: content types, caching, compression, policy, methods, and the setting that
 * disables it.
 */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

describe('the files of the console', () => {
  let gateway: TestGateway
  let script = ''
  before(async () => {
    gateway = await startGateway()
    const text = await (await fetch(`${gateway.url}/console`)).text()
    script = /\/console\/assets\/main-[^"]+\.js/.exec(text)?.[0] ?? ''
  })
  after(() => gateway.stop())

  for (const path of ['/console', '/console/logs/abc', '/console/keys?search=x', '/console/no/such/page']) {
    it(`are served as the page for ${path} without a key, with the security policy`, async () => {
      const response = await fetch(gateway.url + path)
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).to.equal('no-cache')
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(response.headers.get('referrer-policy')).to.equal('no-referrer')
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).to.match(
        /^default-src 'self'; style-src 'self' 'nonce-[^']+'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'$/,
      )
      const text = await response.text()
      expect(text).not.to.match(/<script(?![^>]* src=)/)
      expect(text).not.to.match(/<style|\sstyle=|\son\w+=/)
    })
  }

  it('contain a different nonce in every answer', async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => (await fetch(`${gateway.url}/console`)).headers.get('content-security-policy')),
    )
    expect(policies[0]).not.to.equal(policies[1])
  })

  for (const [wanted, got] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    it(`are served as ${got ?? 'identity'} for "accept-encoding: ${wanted}", and can be cached forever`, async () => {
      const response = await fetch(gateway.url + script, { headers: { 'accept-encoding': wanted } })
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-encoding')).to.equal(got)
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
      expect(response.headers.get('vary')).to.include('accept-encoding')
      expect(await response.text()).to.include('import')
    })
  }

  for (const name of [
    'none.js',
    'none.css',
    '..%2f..%2fpackage.json',
    script.slice('/console/assets/'.length),
  ]) {
    it(`answer 404 for an unknown asset: ${name}.br`, async () => {
      const response = await fetch(`${gateway.url}/console/assets/${name}.br`)
      expect(response.status).to.equal(404)
    })
  }

  for (const path of ['/console', '/console/keys', '/console/assets/x.js']) {
    it(`answer 405 to POST ${path}, with a key and without`, async () => {
      const bare = await fetch(gateway.url + path, { method: 'POST' })
      expect(bare.status).to.equal(405)
      expect(bare.headers.get('allow')).to.include('GET')
      expect((await gateway.post(path, {})).status).to.equal(405)
    })
  }

  it('are not served when plugins.disabled lists the console', async () => {
    const without = await startGateway({ plugins: { disabled: ['console'] } })
    try {
      expect((await without.get('/console')).status).to.equal(404)
      expect((await without.get('/console/keys')).status).to.equal(404)
    } finally {
      await without.stop()
    }
  })
})
