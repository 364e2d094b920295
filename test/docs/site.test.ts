/** The documentation as a site: every link leads somewhere, and a gateway serves the pages with search and llms.txt. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const builder = new URL('../../../docs/site/build.js', import.meta.url)
const { buildSite } = (await import(builder.href)) as {
  buildSite(out: string, document: object | null): number
}

describe('the documentation site', () => {
  let folder = ''
  let gateway: TestGateway
  let document: object
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-site-'))
    gateway = await startGateway()
    document = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as object
  })
  after(async () => {
    await gateway.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('has no link to a page, a heading or a file that does not exist', async () => {
    const out = join(folder, 'site')
    expect(buildSite(out, document)).to.be.greaterThan(50)
    const names = new Set(await readdir(out, { recursive: true }))
    const broken: string[] = []
    for (const name of [...names].filter((each) => each.endsWith('.html'))) {
      const html = await readFile(join(out, name), 'utf8')
      for (const [, target = ''] of html.matchAll(/(?:href|src)="([^"#:]+)(?:#[^"]*)?"/g))
        if (!names.has(posix.join(posix.dirname(name), target))) broken.push(`${name}: ${target}`)
    }
    expect(broken).to.deep.equal([])
  })

  it('is served by a gateway without a key, with a policy that allows only its own files', async () => {
    const home = await fetch(`${gateway.url}/docs`)
    expect([home.status, new URL(home.url).pathname]).to.deep.equal([200, '/docs/index.html'])
    expect(home.headers.get('content-security-policy')).to.include("default-src 'none'; script-src 'self'")
    expect(await home.text()).to.include('<h1 id="the-gateway">')
    for (const [name, type] of [
      ['guides/routing.html', 'text/html'],
      ['site.css', 'text/css'],
      ['search.js', 'text/javascript'],
      ['search.json', 'application/json'],
      ['llms.txt', 'text/plain'],
      ['llms-full.txt', 'text/plain'],
    ] as const) {
      const answer = await fetch(`${gateway.url}/docs/${name}`)
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]], name).to.deep.equal([
        200,
        type,
      ])
    }
  })

  it('serves nothing but its own files', async () => {
    for (const path of [
      'none.html',
      '..%2fassets.json',
      '%2e%2e/index.js',
      'guides',
      'files/../../assets.json',
    ])
      expect((await fetch(`${gateway.url}/docs/${path}`)).status, path).to.be.within(400, 404)
  })
})
