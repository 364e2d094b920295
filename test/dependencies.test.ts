/** An installation compiles nothing and downloads nothing but packages: no install script runs, and binaries are in packages. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(root, name), 'utf8'))

describe('the installed packages', () => {
  it('run no script at their installation', async () => {
    const { packages } = (await read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>
    }
    const { allowScripts } = (await read('package.json')) as { allowScripts: Record<string, boolean> }
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names).to.not.have.length(0)
    expect(names.filter((name) => allowScripts[name] !== false)).to.deep.equal([])
  })

  it('include SQLite for Linux, with both C libraries, macOS and Windows', () => {
    const manifest = createRequire(join(root, 'plugins/store-sql/package.json')).resolve(
      '@photostructure/sqlite/package.json',
    )
    const folder = join(dirname(manifest), 'prebuilds')
    for (const system of ['linux', 'darwin', 'win32'])
      for (const processor of ['x64', 'arm64']) {
        const place = join(folder, `${system}-${processor}`)
        const files = existsSync(place) ? readdirSync(place) : []
        expect(files, place).to.have.length(system === 'linux' ? 2 : 1)
      }
  })
})
