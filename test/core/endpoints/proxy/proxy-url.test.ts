/** Whatever follows `/v1/proxy/`, the URL stays below the base URL or is refused. */
import { expect } from 'chai'
import fc from 'fast-check'
import { proxyUrl } from '#upstream/proxy-url'
import { assertProperty } from '../../../support/assert-property.ts'

/** The URL, or null if it is refused. */
function addressOf(base: string, path: string, search = ''): string | null {
  try {
    return proxyUrl(base, `/v1/proxy/${path}`, search)
  } catch (error) {
    expect(error).to.have.property('code', 'not_found')
    return null
  }
}

/** Decodes a path like a server that decodes more than it should. */
function decodedFully(path: string): string {
  let text = path.replaceAll('\\', '/')
  for (let layer = 0; layer < 10; layer += 1) {
    try {
      text = decodeURIComponent(text).replaceAll('\\', '/')
    } catch {
      return text
    }
  }
  return text
}

describe('the URL of a proxied call', () => {
  it("never leaves the provider's base URL", () => {
    const piece = fc.constantFrom(
      ...[
        '.',
        '..',
        '/',
        '//',
        '\\',
        ';',
        '%2e',
        '%2E',
        '%2f',
        '%5c',
        '%252e',
        '%25252e',
        '%',
        '@',
        ':',
        '?',
        '#',
      ],
      ...['a', 'http://other.example', 'other.example:80', '\u0000', ' ', 'é', '%00', '%0d%0a'],
    )
    const base = fc.constantFrom('https://a.example', 'https://a.example/v1', 'http://127.0.0.1:8000/deep/v1')
    assertProperty(
      fc.property(
        base,
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom('', '?a=b', '?../..'),
        (url, pieces, search) => {
          const address = addressOf(url, pieces.join(''), search)
          if (address === null) return
          const { origin, pathname, username } = new URL(address)
          expect([origin, username]).to.deep.equal([new URL(url).origin, ''])
          const root = new URL(url).pathname.replace(/\/$/, '')
          expect(pathname.startsWith(`${root}/`)).to.equal(true)
          const steps = decodedFully(pathname).split('/')
          expect(steps.filter((step) => /^\.\.?(;|$)/.test(step))).to.deep.equal([])
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('keeps the path and the query unchanged', () => {
    expect(addressOf('https://a.example/v1', 'b/c%2Fd;e', '?f=g%20h+i')).to.equal(
      'https://a.example/v1/b/c%2Fd;e?f=g%20h+i',
    )
    expect(addressOf('https://a.example', 'b/')).to.equal('https://a.example/b/')
    expect(addressOf('https://a.example', '')).to.equal(null)
  })
})
