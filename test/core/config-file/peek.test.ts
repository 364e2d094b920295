/** What a start reads of a config file before its packages are loaded. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peekPackages } from '@gateway/config-file'
import { expect } from 'chai'

describe('what is read of a config file before it is validated', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-peek-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function peek(text: string, environment: Record<string, string> = {}) {
    const path = join(folder, 'gateway.yaml')
    await writeFile(path, text)
    return peekPackages(path, environment)
  }

  it('includes the URL of the store, with its variables', async () => {
    const { storeUrl } = await peek(`store: { url: "postgres://\${HOST}/gateway" }`, { HOST: 'db' })
    expect(storeUrl).to.equal('postgres://db/gateway')
  })

  it('has no store where the file has none, only a commented one, or an invalid one', async () => {
    for (const text of [
      'server: { port: 1 }',
      '# store: { url: "sqlite:a.db" }',
      'store: { url: 3 }',
      'store:',
    ])
      expect((await peek(text)).storeUrl, text).to.equal(null)
  })

  it('includes packages that follow a # in a string on the same line', async () => {
    const { packages, disabled } = await peek(
      '{ "audit": "#", "plugins": { "packages": ["./a"], "disabled": ["b"] } }',
    )
    expect({ packages, disabled }).to.deep.equal({ packages: ['./a'], disabled: ['b'] })
  })
})
