/** The build without types, for the first start of a checkout and for container images. */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { expect } from 'chai'

const bin = new URL('../../../../core/cli/bin/', import.meta.url)
const load = (name: string) => import(new URL(name, bin).href)

describe('a build without types', () => {
  it('has every module that another one imports', async () => {
    const { sourcesIn } = (await load('transpile.js')) as { sourcesIn(folder: string): string[] }
    const { packageFolders, root } = (await load('freshness.js')) as {
      packageFolders(): string[]
      root: string
    }
    const sources = new Set(packageFolders().flatMap(sourcesIn))
    const missing = [...sources].flatMap((source) =>
      [...readFileSync(source, 'utf8').matchAll(/\bfrom '(\.[^']+\.ts)'/g)]
        .map(([, name = '']) => resolve(dirname(source), name))
        .filter((path) => !sources.has(path))
        .map((path) => relative(root, path)),
    )
    expect([...new Set(missing)]).to.deep.equal([])
  })
})
